import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { AppError } from '../../errors.ts'

const FILE_NAME = /^(\d+)-.+\.xml(\.gz)?$/
const ABANDONED_MS = 3_600_000

/** What was published, as the database has it. Sizes in bytes. */
type Published = {
  id: number
  built_at: Date
  content_hash: string
  files: { name: string; size: number; gzipSize: number }[]
}

type Encoding = 'identity' | 'gzip'

type LocalFile = { path: string; size: number }
type KeptFile = Record<Encoding, LocalFile>

export type Kept = {
  id: number
  /** Different for any two whose bytes differ. */
  version: string
  builtAt: Date
  /** By their names. */
  files: ReadonlyMap<string, KeptFile>
}

export type PublishedFiles = {
  folder: string
  /** What is published now, as files of this instance; null before anything is. */
  newest(): Promise<Kept | null>
  /** One of its files, whole. @throws AppError 503 when it is gone and a newer one is not here yet */
  open(kept: KeptFile, encoding: Encoding): Promise<FileHandle>
  /** Creates the folder, and deletes what processes that died left in it. */
  prepare(): Promise<void>
}

type Source = {
  /** The published row; cached by whoever gives it. */
  newest(): Promise<Published | undefined>
  /** The same straight from the database. */
  newestNow(): Promise<Published | undefined>
  /** A piece of a file's gzipped bytes; undefined behind the last one, and when it has been deleted. */
  chunk(place: { id: number; file: string; position: number }): Promise<Buffer | undefined>
}

/**
 * Something large that is built once lives in the database, so that all instances serve the same bytes; each keeps
 * its files, every one plain and gzip, which appear complete or not at all.
 */
export function createPublishedFiles(folder: string, source: Source): PublishedFiles {
  let held: { id: number; local: Promise<Kept> } | undefined

  function hold(row: Published): Promise<Kept> {
    if (held?.id === row.id) return held.local
    const local = fetchFiles(row)
    const holding = { id: row.id, local }
    held = holding
    local.catch(() => {
      if (held === holding) held = undefined
    })
    return local
  }

  async function fetchFiles({ id, built_at, content_hash, files }: Published): Promise<Kept> {
    const version = `${id}-${content_hash.slice(0, 16)}`
    await mkdir(folder, { recursive: true })
    const local = new Map<string, KeptFile>()
    for (const { name, size, gzipSize } of files) {
      const plain = { path: join(folder, `${version}-${name}`), size }
      const gzip = { path: `${plain.path}.gz`, size: gzipSize }
      if (!(await isComplete(gzip))) await writeWhole(gzip, () => [Readable.from(chunksOf(id, name))])
      if (!(await isComplete(plain))) {
        await writeWhole(plain, () => [createReadStream(gzip.path), createGunzip()])
      }
      local.set(name, { identity: plain, gzip })
    }
    await deleteOthers(id)
    return { id, version, builtAt: built_at, files: local }
  }

  async function* chunksOf(id: number, file: string): AsyncGenerator<Buffer> {
    for (let position = 0; ; position++) {
      const bytes = await source.chunk({ id, file, position })
      if (bytes === undefined) return
      yield bytes
    }
  }

  async function writeWhole(
    { path, size }: LocalFile,
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

  async function newest(): Promise<Kept | null> {
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
      const whole = await openWhole(kept[encoding])
      if (whole !== null) return whole
      // Somebody emptied the folder, or wrote in it: the database still has it.
      held = undefined
      await newest()
      const fetched = await openWhole(kept[encoding])
      if (fetched !== null) return fetched
      throw new GoneError()
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
class GoneError extends AppError {
  constructor() {
    super(503, 'UNAVAILABLE', 'A newer version is being fetched', { retryAfter: 1 })
  }
}

async function isComplete({ path, size }: LocalFile): Promise<boolean> {
  return (await stat(path).catch(nullIfMissing))?.size === size
}

/** Null when it is not there, or not all of it. */
async function openWhole({ path, size }: LocalFile): Promise<FileHandle | null> {
  const handle = await open(path).catch(nullIfMissing)
  if (handle === null || (await handle.stat()).size === size) return handle
  await handle.close()
  return null
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
  throw error
}
