import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { FastifyBaseLogger } from 'fastify'
import type { ChunkKey, PublicationRow } from '../../../db/queries/published/publications.ts'
import { AppError, nullIfMissing } from '../../errors.ts'

const FILE_NAME = /^(\d+)-.+\.xml(\.gz)?$/
/** Older temporary files were left by a crash. */
const MAX_TEMPORARY_AGE_MS = 3_600_000
/** Between attempts to store a publication, each of which may read all its bytes from the database. */
const RETRY_MS = 10_000

type Publication = Omit<PublicationRow, 'kind' | 'entries'>

type LocalFile = { path: string; size: number }

/** A publication whose file is stored here, plain and gzipped. `version` identifies the bytes. */
export type LocalPublication = {
  id: number
  version: string
  builtAt: Date
  identity: LocalFile
  gzip: LocalFile
}

export type PublishedFiles = ReturnType<typeof createPublishedFiles>

type Source = {
  /** The current publication, from a cache. */
  newest(): Promise<Publication | undefined>
  /** A chunk of the gzipped file; undefined after the last one, or when the publication was deleted. */
  chunk(place: ChunkKey): Promise<Buffer | undefined>
}

/**
 * Local copies of the publications of a kind, which are stored in the database so that all instances serve the same bytes.
 * Each file is created atomically.
 */
export function createPublishedFiles(folder: string, source: Source, log: Pick<FastifyBaseLogger, 'warn'>) {
  let current: { id: number; local: Promise<LocalPublication> } | undefined
  let served: LocalPublication | undefined
  /** A publication that couldn't be stored; meanwhile the previous one is served. */
  let failed: { id: number; retryAt: number } | undefined

  function download(row: Publication): Promise<LocalPublication> {
    if (current?.id === row.id) return current.local
    const downloading = { id: row.id, local: store(row) }
    current = downloading
    downloading.local.catch(() => {
      if (current === downloading) current = undefined
    })
    return downloading.local
  }

  async function store({ id, built_at, content_hash, file }: Publication): Promise<LocalPublication> {
    const version = `${id}-${content_hash.slice(0, 16)}`
    const path = join(folder, `${version}-${file.name}`)
    const identity = { path, size: file.size }
    const gzip = { path: `${path}.gz`, size: file.gzipSize }
    await mkdir(folder, { recursive: true })
    if (!(await isComplete(gzip))) await writeFile(gzip, [Readable.from(chunksOf(id, file.name))])
    if (!(await isComplete(identity))) {
      await writeFile(identity, [createReadStream(gzip.path), createGunzip()])
    }
    await deleteOlder(id)
    return { id, version, builtAt: built_at, identity, gzip }
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
    content: [Readable] | [Readable, NodeJS.ReadWriteStream],
  ): Promise<void> {
    const temporary = join(folder, `${randomUUID()}.tmp`)
    try {
      await pipeline([...content, createWriteStream(temporary, { flags: 'wx', flush: true })])
      if (!(await isComplete({ path: temporary, size }))) throw beingReplaced()
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

  /**
   * Returns the current publication, or the previous one while that can't be stored; null before the first one.
   * @throws AppError 503
   */
  async function newest(): Promise<LocalPublication | null> {
    const row = await source.newest()
    if (row === undefined) return null
    if (served !== undefined && failed?.id === row.id && performance.now() < failed.retryAt) return served
    try {
      served = await download(row)
    } catch (error) {
      if (served === undefined) throw isSystemError(error) ? storageDown(error) : error
      log.warn({ err: error, folder }, 'publication not stored, previous one served')
      failed = { id: row.id, retryAt: performance.now() + RETRY_MS }
    }
    return served
  }

  return {
    folder,
    newest,
    /** Opens a file of a publication. @throws AppError 503 when a newer publication is being downloaded */
    async open(published: LocalPublication, encoding: 'identity' | 'gzip'): Promise<FileHandle> {
      const { path } = published[encoding]
      const opened = await open(path).catch(nullIfMissing)
      if (opened !== null) return opened
      // The file was deleted by hand, or because two newer publications followed.
      current = undefined
      await newest()
      const downloaded = await open(path).catch(nullIfMissing)
      if (downloaded === null) throw beingReplaced()
      return downloaded
    },
    /** Creates the folder, and deletes temporary files of crashed processes. */
    async prepare(): Promise<void> {
      await mkdir(folder, { recursive: true })
      for (const name of await readdir(folder)) {
        if (!name.endsWith('.tmp')) continue
        const path = join(folder, name)
        const found = await stat(path).catch(nullIfMissing)
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
function beingReplaced(): AppError {
  return new AppError(503, 'UNAVAILABLE', 'A newer version is being downloaded', { retryAfter: 1 })
}

async function isComplete({ path, size }: LocalFile): Promise<boolean> {
  return (await stat(path).catch(nullIfMissing))?.size === size
}
