import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { Encoding } from '../../rules/published/http-caching.ts'

/** Smaller bodies fit into one packet anyway. */
const MIN_COMPRESSED_BYTES = 1024

/** Near the sizes of the highest quality, in a hundredth of its time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

const [zstd, br, zip] = [promisify(zstdCompress), promisify(brotliCompress), promisify(gzip)]
const compress: { [E in Encoding]: (bytes: Buffer) => Promise<Buffer> } = {
  zstd: (bytes) => zstd(bytes),
  br: (bytes) => br(bytes, BROTLI),
  gzip: (bytes) => zip(bytes),
}

/** A response body, and the encodings in which clients have asked for it. */
export type EncodedBody = {
  readonly bytes: Buffer
  readonly isCompressible: boolean
  /** Changes with the bytes; ETags are made of it. */
  version(): string
  /** Compresses the body on the thread pool, once per encoding; concurrent calls share the work. */
  encode(encoding: Encoding): Buffer | Promise<Buffer>
  /** About the bytes in memory: those of JSON, and half of them again for its encodings. */
  readonly size: number
}

export function createBody(bytes: Buffer): EncodedBody {
  const encoded = new Map<Encoding, Buffer | Promise<Buffer>>()
  let version: string | undefined
  return {
    bytes,
    isCompressible: bytes.byteLength >= MIN_COMPRESSED_BYTES,
    version() {
      version ??= hash('sha1', bytes, 'base64url')
      return version
    },
    encode(encoding) {
      const known = encoded.get(encoding)
      if (known !== undefined) return known
      const compressing = add(encoding)
      encoded.set(encoding, compressing)
      return compressing
    },
    size: Math.ceil(1.5 * bytes.byteLength),
  }

  async function add(encoding: Encoding): Promise<Buffer> {
    try {
      const compressed = await compress[encoding](bytes)
      // zlib's buffer is a part of a larger one, which would stay in memory with it.
      const result = Buffer.allocUnsafeSlow(compressed.byteLength)
      compressed.copy(result)
      encoded.set(encoding, result)
      return result
    } catch (error) {
      encoded.delete(encoding)
      throw error
    }
  }
}
