import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { FastifyBaseLogger } from 'fastify'
import { AppError } from '../../errors.ts'

const FILE_NAME = /^(\d+)-.+\.xml(\.gz)?$/
/** Older temporary files were left by a crash. */
const MAX_TEMPORARY_AGE_MS = 3_600_000
/** Between attempts to store a publication, each of which may read all its bytes from the database. */
const RETRY_MS = 10_000

/** A publication in the database. Sizes are in bytes. */
type Publication = {
  id: number
  built_at: Date
  content_hash: string
  files: { name: string; size: number; gzipSize: number }[]
}

type Encoding = 'identity' | 'gzip'

type LocalFile = { path: string; size: number }
type LocalFiles = Record<Encoding, LocalFile>

export type LocalPublication = {
  id: number
  /** Identifies the bytes. */
  version: string
  builtAt: Date
  /** By name. */
  files: ReadonlyMap<string, LocalFiles>
}

export type PublishedFiles = ReturnType<typeof createPublishedFiles>

type Log = Pick<FastifyBaseLogger, 'warn'>

type Source = {
  /** The current publication, from a cache. */
  newest(): Promise<Publication | undefined>
  /** The publications in the database, newest first. */
  retained(): Promise<Publication[]>
  /** A chunk of a gzipped file; undefined after the last one, or when the publication was deleted. */
  chunk(place: { id: number; file: string; position: number }): Promise<Buffer | undefined>
}

/**
 * Local copies of publications, which are stored in the database so that all instances serve the same bytes. Each file
 * exists plain and gzipped, and is created atomically.
 */
export function createPublishedFiles(folder: string, source: Source, log: Log) {
  let current: { id: number; files: Promise<LocalPublication> } | undefined
  /** Served until another attempt to store the publication `insteadOf`. */
  let fallback: { insteadOf: number; files: LocalPublication; until: number } | undefined

  function download(row: Publication): Promise<LocalPublication> {
    if (current?.id === row.id) return current.files
    const downloading = { id: row.id, files: downloadFiles(row) }
    current = downloading
    downloading.files.catch(() => {
      if (current === downloading) current = undefined
    })
    return downloading.files
  }

  function locate({ id, built_at, content_hash, files }: Publication): LocalPublication {
    const version = `${id}-${content_hash.slice(0, 16)}`
    const local = files.map(({ name, size, gzipSize }): [string, LocalFiles] => {
      const path = join(folder, `${version}-${name}`)
      return [name, { identity: { path, size }, gzip: { path: `${path}.gz`, size: gzipSize } }]
    })
    return { id, version, builtAt: built_at, files: new Map(local) }
  }

  async function downloadFiles(row: Publication): Promise<LocalPublication> {
    const local = locate(row)
    await mkdir(folder, { recursive: true })
    for (const [name, { identity, gzip }] of local.files) {
      if (!(await isComplete(gzip))) await writeFile(gzip, () => [Readable.from(chunksOf(row.id, name))])
      if (!(await isComplete(identity))) {
        await writeFile(identity, () => [createReadStream(gzip.path), createGunzip()])
      }
    }
    await deleteOlder(row.id)
    return local
  }

  /** Finds a publication whose files are all here, such as the previous one while the disk is full. */
  async function findStored(rows: Publication[]): Promise<LocalPublication | undefined> {
    for (const local of rows.map(locate)) {
      const files = [...local.files.values()].flatMap(({ identity, gzip }) => [identity, gzip])
      const complete = await Promise.all(files.map(isComplete))
      if (complete.every(Boolean)) return local
    }
    return undefined
  }

  async function* chunksOf(id: number, file: string): AsyncGenerator<Buffer> {
    for (let position = 0; ; position++) {
      const bytes = await source.chunk({ id, file, position })
      if (bytes === undefined) return
      yield bytes
    }
  }

  async function writeFile(
    { path, size }: LocalFile,
    content: () => [Readable] | [Readable, NodeJS.ReadWriteStream],
  ): Promise<void> {
    const temporary = join(folder, `${randomUUID()}.tmp`)
    try {
      await pipeline([...content(), createWriteStream(temporary, { flags: 'wx', flush: true })])
      if (!(await isComplete({ path: temporary, size }))) throw new DeletedError()
      await rename(temporary, path)
    } finally {
      await rm(temporary, { force: true })
    }
  }

  /** Keeps the previous publication for requests that are about to open it. */
  async function deleteOlder(newest: number): Promise<void> {
    const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name))
    const idOf = (name: string): number => Number(FILE_NAME.exec(name)?.[1])
    const previous = Math.max(...names.map(idOf).filter((id) => id !== newest))
    const others = names.filter((name) => idOf(name) !== newest && idOf(name) !== previous)
    await Promise.all(others.map((name) => rm(join(folder, name), { force: true })))
  }

  /** The current publication; null before the first one. */
  async function newest(): Promise<LocalPublication | null> {
    const row = await source.newest()
    if (row === undefined) return null
    if (fallback?.insteadOf === row.id && performance.now() < fallback.until) return fallback.files
    try {
      return await download(row)
    } catch (error) {
      const retained = await source.retained()
      if (error instanceof DeletedError) {
        // Newer publications replaced this one during the download.
        const [newer] = retained
        return newer === undefined ? null : download(newer)
      }
      const files = await findStored(retained)
      if (files === undefined) throw isSystemError(error) ? storageDown(error) : error
      log.warn({ err: error, folder }, 'publication not stored, previous one served')
      fallback = { insteadOf: row.id, files, until: performance.now() + RETRY_MS }
      return files
    }
  }

  return {
    folder,
    newest,
    /** Opens a complete file. @throws AppError 503 when a newer publication is being downloaded */
    async open(file: LocalFiles, encoding: Encoding): Promise<FileHandle> {
      const opened = await openComplete(file[encoding])
      if (opened !== null) return opened
      // The file was deleted or changed by hand.
      current = undefined
      await newest()
      const downloaded = await openComplete(file[encoding])
      if (downloaded !== null) return downloaded
      throw new DeletedError()
    },
    /** Creates the folder, and deletes temporary files of crashed processes. */
    async prepare(): Promise<void> {
      await mkdir(folder, { recursive: true })
      for (const name of await readdir(folder)) {
        if (!name.endsWith('.tmp')) continue
        const path = join(folder, name)
        const found = await stat(path).catch(() => null)
        if (found && found.mtimeMs < Date.now() - MAX_TEMPORARY_AGE_MS) await rm(path, { force: true })
      }
    },
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

function storageDown(cause: unknown): AppError {
  return new AppError(503, 'UNAVAILABLE', 'The storage does not accept files', {
    retryAfter: RETRY_MS / 1000,
    cause,
  })
}

/** The publication was deleted before its download was complete. */
class DeletedError extends AppError {
  constructor() {
    super(503, 'UNAVAILABLE', 'A newer version is being downloaded', { retryAfter: 1 })
  }
}

async function isComplete({ path, size }: LocalFile): Promise<boolean> {
  return (await stat(path).catch(nullIfMissing))?.size === size
}

/** Null when the file is missing or incomplete. */
async function openComplete({ path, size }: LocalFile): Promise<FileHandle | null> {
  const handle = await open(path).catch(nullIfMissing)
  if (handle === null || (await handle.stat()).size === size) return handle
  await handle.close()
  return null
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
  throw error
}
