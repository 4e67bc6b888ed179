import { createReadStream, type WriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { finished, pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { extract, pack } from 'tar-stream'
import { DatabaseState } from '../../db/backup/snapshot.ts'
import { AppError, codeOf, messageOf } from '../errors.ts'

// A zstd-compressed tar: parts of tables (`tables/<name>/<number>`, rows in the text format of COPY), stored files
// (`files/<key>`) or, with S3, the keys of the objects (`objects/<number>`), and at its end the manifest.
const MANIFEST = 'manifest.json'
/** After the tar: a frame of zstd that programs skip. Node's decompressor doesn't notice that the last bytes are missing. */
const END_MARK = Buffer.from('502a4d1804000000656e6421', 'hex')
/** Entries of unknown length are divided into parts of this size, which are buffered. */
const PART_BYTES = 4 * 1024 * 1024

const Manifest = Type.Object({
  /** Archives of 0.1.0, format 1, have no mark at their end. */
  format: Type.Union([Type.Literal(1), Type.Literal(2)]),
  createdAt: Type.String(),
  ...DatabaseState.properties,
  files: Type.Integer(),
})
type Manifest = Static<typeof Manifest>

export type ArchiveWriter = ReturnType<typeof createArchive>

/** Writes an archive to a new file. */
export function createArchive(file: WriteStream) {
  const tar = pack()
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  const written = pipeline(tar, compress, withEndMark, file)
  // It may fail between two entries, while nothing awaits it.
  written.catch(() => {})
  async function add(name: string, bytes: Buffer): Promise<void> {
    try {
      const entry = tar.entry({ name, size: bytes.length, mode: 0o600 })
      await Promise.race([pipeline(Readable.from([bytes]), entry), written])
    } catch (error) {
      // The file knows why the tar ended, such as a full disk.
      throw file.errored ?? error
    }
  }
  return {
    add,
    /** Adds lines of unknown length as numbered parts, which end with a line. */
    async addLines(folder: string, lines: AsyncIterable<Buffer>): Promise<void> {
      let number = 0
      for await (const part of partsOf(lines)) {
        number += 1
        await add(`${folder}/${String(number).padStart(6, '0')}`, part)
      }
    },
    /** Writes the manifest as the last entry, and flushes the file. */
    async finish(manifest: Manifest): Promise<void> {
      await add(MANIFEST, Buffer.from(JSON.stringify(manifest, null, 2)))
      tar.finalize()
      await written
    },
    async abort(): Promise<void> {
      tar.destroy()
      await written.catch(() => {})
    },
  }
}

async function* withEndMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks
  yield END_MARK
}

/** Divides lines into parts of about PART_BYTES that end with a line. */
async function* partsOf(lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of lines) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes < PART_BYTES) continue
    const all = Buffer.concat(chunks)
    const end = all.lastIndexOf('\n') + 1
    if (end > 0) yield all.subarray(0, end)
    const rest = all.subarray(end)
    chunks = [rest]
    bytes = rest.length
  }
  if (bytes > 0) yield Buffer.concat(chunks)
}

/** Calls `onEntry`, which may leave the body unread, for each entry but the manifest. */
export async function readArchive(
  path: string,
  onEntry: (name: string, body: Readable) => Promise<void>,
): Promise<Manifest> {
  const tar = extract()
  let end = Buffer.alloc(0)
  const reading = pipeline(
    createReadStream(path),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        end = Buffer.concat([end, chunk]).subarray(-END_MARK.length)
        yield chunk
      }
    },
    createZstdDecompress(),
    tar,
  )
  // The loop below rejects with the same error.
  reading.catch(() => {})
  let manifest: unknown
  for await (const entry of tar) {
    const { name } = entry.header
    const body = Readable.from(entry, { objectMode: false })
    if (name === MANIFEST) manifest = await json(body)
    else await onEntry(name, body)
    if (!body.readableEnded) await finished(body.resume())
  }
  await reading
  if (manifest === undefined) throw new Error('its end is missing')
  const checked = Value.Parse(Manifest, manifest)
  if (checked.format === 2 && !end.equals(END_MARK)) throw new Error('its end is missing')
  return checked
}

/** Reads an archive to its end. @throws Error if it is damaged */
export async function checkArchive(path: string): Promise<Manifest> {
  try {
    return await readArchive(path, async () => {})
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw error
    throw new Error(`${path} is damaged, or not a backup of a shop (${messageOf(error)}): nothing was changed.`)
  }
}

/** The message of an error, with the cause of an AppError: operators may see what clients may not. */
export function messagesOf(error: unknown): string {
  return error instanceof AppError && error.cause ? `${error.message}: ${messageOf(error.cause)}` : messageOf(error)
}
