import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { Encoding } from '../../rules/published/http-caching.ts'

/** Smaller bodies fit into one packet anyway. */
const MIN_COMPRESSED_BYTES = 1024

/** Almost as small as at the highest quality, in a hundredth of the time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

const brotli = promisify(brotliCompress)
const compress: { [E in Encoding]: (bytes: Buffer) => Promise<Buffer> } = {
  zstd: promisify(zstdCompress),
  br: (bytes) => brotli(bytes, BROTLI),
  gzip: promisify(gzip),
}

/** A response body with the encodings that clients have asked for. */
export type EncodedBody = ReturnType<typeof createBody>

/** @param total how many records there are of which the body is a part */
export function createBody(bytes: Buffer, total?: number) {
  const encoded = new Map<Encoding, Promise<Buffer>>()
  return {
    bytes,
    total,
    isCompressible: bytes.byteLength >= MIN_COMPRESSED_BYTES,
    /** Changes with the bytes; ETags derive from it. */
    version: hash('sha1', bytes, 'base64url'),
    /** Compresses the body on the thread pool, once per encoding. */
    encode(encoding: Encoding): Promise<Buffer> {
      const known = encoded.get(encoding)
      if (known) return known
      const compressing = compressed(bytes, encoding)
      encoded.set(encoding, compressing)
      compressing.catch(() => encoded.delete(encoding))
      return compressing
    },
    /** Approximate bytes in memory: the JSON, and half as much again for its encodings. */
    size: Math.ceil(1.5 * bytes.byteLength),
  }
}

async function compressed(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  const part = await compress[encoding](bytes)
  // zlib returns a part of a larger buffer, all of which would stay in memory.
  const copy = Buffer.allocUnsafeSlow(part.byteLength)
  part.copy(copy)
  return copy
}

const LIST = Buffer.from('{"content":[')
const COMMA = Buffer.from(',')

/** Text in UTF-8, outside Node's buffer pool, where one cached buffer would retain 8 KB. */
export function toBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

export function jsonBody(json: string, total?: number): EncodedBody {
  return createBody(toBytes(json), total)
}

/** Records written in one turn of the event loop, which takes some milliseconds. */
const SLICE_SIZE = 1000

/** A list that may be long. @param toJson writes one of its records */
export async function listBody<Row>(rows: Row[], toJson: (row: Row) => string): Promise<EncodedBody> {
  const slices: string[] = []
  for (let at = 0; at < rows.length; at += SLICE_SIZE) {
    slices.push(
      rows
        .slice(at, at + SLICE_SIZE)
        .map(toJson)
        .join(),
    )
    await nextTurn()
  }
  return createBody(toBytes(`[${slices.join()}]`))
}

/** A page of records. @param rest the object of the page's other fields */
export function pageBody(records: Buffer[], rest: string): EncodedBody {
  const content = records.flatMap((json, index) => (index === 0 ? [json] : [COMMA, json]))
  return createBody(Buffer.concat([LIST, ...content, Buffer.from(`],${rest.slice(1)}`)]))
}
