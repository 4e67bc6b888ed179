import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { AppError } from '../errors.ts'

const FILE_NAME = /^(\d+)-[\da-f]+\.xml(\.gz)?$/
const ABANDONED_MS = 3_600_000

/** What was published, as the database has it. Sizes in bytes. */
type Published = { id: number; built_at: Date; content_hash: string; size: number; gzip_size: number }

type Encoding = 'identity' | 'gzip'

export type KeptFile = {
  id: number
  /** Different for any two whose bytes differ. */
  version: string
  builtAt: Date
  files: Record<Encoding, { path: string; size: number }>
}

export type KeptFiles = {
  folder: string
  /** What is published now, as files of this instance; null before anything is. */
  newest(): Promise<KeptFile | null>
  open(kept: KeptFile, encoding: Encoding): Promise<FileHandle>
  /** Creates the folder, and deletes what processes that died left in it. */
  prepare(): Promise<void>
}

type Source = {
  /** The published row; cached by whoever gives it. */
  newest(): Promise<Published | undefined>
  /** The same straight from the database. */
  newestNow(): Promise<Published | undefined>
  /** A piece of its gzipped bytes; undefined behind the last one, and when it has been deleted. */
  chunk(id: number, position: number): Promise<Buffer | undefined>
}

/**
 * Something large that is built once lives in the database, so that all instances serve the same bytes; each keeps it
 * as two files, plain and gzip, that appear complete or not at all.
 */
export function createKeptFiles(folder: string, source: Source): KeptFiles {
  let held: { id: number; local: Promise<KeptFile> } | undefined

  function hold(row: Published): Promise<KeptFile> {
    if (held?.id === row.id) return held.local
    const local = fetchFiles(row)
    const holding = { id: row.id, local }
    held = holding
    local.catch(() => {
      if (held === holding) held = undefined
    })
    return local
  }

  async function fetchFiles(row: Published): Promise<KeptFile> {
    const version = `${row.id}-${row.content_hash.slice(0, 16)}`
    const plain = { path: join(folder, `${version}.xml`), size: row.size }
    const gzip = { path: `${plain.path}.gz`, size: row.gzip_size }
    await mkdir(folder, { recursive: true })
    if (!(await isComplete(gzip))) await writeWhole(gzip, () => [Readable.from(chunksOf(row.id))])
    if (!(await isComplete(plain))) {
      await writeWhole(plain, () => [createReadStream(gzip.path), createGunzip()])
    }
    await deleteOthers(row.id)
    return { id: row.id, version, builtAt: row.built_at, files: { identity: plain, gzip } }
  }

  async function* chunksOf(id: number): AsyncGenerator<Buffer> {
    for (let position = 0; ; position++) {
      const bytes = await source.chunk(id, position)
      if (bytes === undefined) return
      yield bytes
    }
  }

  async function writeWhole(
    { path, size }: { path: string; size: number },
    content: () => [Readable] | [Readable, NodeJS.ReadWriteStream],
  ): Promise<void> {
    const temporary = join(folder, `${randomUUID()}.tmp`)
    try {
      await pipeline([...content(), createWriteStream(temporary, { flags: 'wx', flush: true })])
      if (!(await isComplete({ path: temporary, size }))) throw new GoneError()
      await rename(temporary, path)
    } finally {
      await rm(temporary, { force: true })
    }
  }

  /** The one before stays, for callers that have just been given its path. Open files can be read to their end. */
  async function deleteOthers(newest: number): Promise<void> {
    const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name))
    const idOf = (name: string): number => Number(FILE_NAME.exec(name)?.[1])
    const before = Math.max(...names.map(idOf).filter((id) => id !== newest))
    const others = names.filter((name) => idOf(name) !== newest && idOf(name) !== before)
    await Promise.all(others.map((name) => rm(join(folder, name), { force: true })))
  }

  async function newest(): Promise<KeptFile | null> {
    const row = await source.newest()
    if (row === undefined) return null
    try {
      return await hold(row)
    } catch (error) {
      if (!(error instanceof GoneError)) throw error
      // Newer ones were published while this one was being fetched.
      const newer = await source.newestNow()
      return newer === undefined ? null : hold(newer)
    }
  }

  return {
    folder,
    newest,
    async open(kept, encoding) {
      try {
        return await open(kept.files[encoding].path)
      } catch (error) {
        if (!isMissing(error)) throw error
        // Somebody emptied the folder: the database still has it.
        held = undefined
        await newest()
        return open(kept.files[encoding].path).catch(() => {
          throw new AppError(503, 'UNAVAILABLE', 'A newer version is being fetched', { retryAfter: 1 })
        })
      }
    },
    async prepare() {
      await mkdir(folder, { recursive: true })
      for (const name of await readdir(folder)) {
        if (!name.endsWith('.tmp')) continue
        const path = join(folder, name)
        const found = await stat(path).catch(() => null)
        if (found && found.mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { force: true })
      }
    },
  }
}

/** It was deleted before all of it could be fetched. */
class GoneError extends Error {}

async function isComplete({ path, size }: { path: string; size: number }): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  return found?.size === size
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
