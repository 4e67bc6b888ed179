import { Readable } from 'node:stream'
import { AppError } from '../../errors.ts'

/** Bytes from `start` to `end`, both included and both within the object. */
type ByteRange = { start: number; end: number }

type StoredObject = {
  /** Bytes of the whole object. */
  size: number
  modifiedAt: Date
}

type PutOptions = {
  contentType: string
  /** Bytes, where they are known of a stream: one that gives more or less is not stored. */
  size?: number
}

/**
 * Where objects lie: files, or any server that speaks S3; one test suite holds both. Keys are opaque, see `checkKey`;
 * none is a folder of another's, and one key is written by one at a time. What the storage can't do is a 503.
 */
export type Storage = {
  /**
   * Stores an object whole or not at all; one that is there is replaced, and whoever reads it reads on undisturbed.
   * @throws what reading the body rejects with, as it is
   */
  put(key: string, body: Buffer | Readable, options: PutOptions): Promise<void>
  /**
   * The object, or a piece of it; null when there is none. The body must be read to its end or destroyed.
   * @returns `size` is that of the whole object
   */
  open(key: string, range?: ByteRange): Promise<{ body: Readable; size: number } | null>
  stat(key: string): Promise<StoredObject | null>
  /** What is not there counts as deleted. */
  delete(keys: string[]): Promise<void>
  /** The objects whose keys begin with the prefix, in no particular order. */
  list(prefix: string): AsyncIterable<StoredObject & { key: string }>
  /** Before the first use: makes what is missing, and deletes what processes that died left half written. */
  prepare(): Promise<void>
  /** @throws when objects can't be read and written now */
  check(): Promise<void>
  close(): void
}

const KEY = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/
const MAX_KEY_LENGTH = 512

/** Letters a to z, digits, `.`, `_`, `-` and `/`; no part begins with a dot. @throws TypeError for any other key */
export function checkKey(key: string): string {
  if (key.length > MAX_KEY_LENGTH || !KEY.test(key)) throw new TypeError(`"${key}" is no key of an object`)
  return key
}

/** What the storage failed with, for the log; the caller hears 503. */
export function storageDown(cause: unknown): AppError {
  return new AppError(503, 'UNAVAILABLE', 'The storage does not answer; please repeat', { cause })
}

/** A body that failed by itself, or wasn't as long as was said: no fault of the storage's. */
class BodyError extends Error {}

/** A body to be stored; whatever goes wrong with it is told apart by `putFailure`. */
export function bodyStream(body: Readable, size: number | undefined): Readable {
  async function* read(): AsyncGenerator<Buffer> {
    let bytes = 0
    try {
      for await (const piece of body) {
        const chunk = Buffer.isBuffer(piece) ? piece : Buffer.from(piece)
        bytes += chunk.length
        yield chunk
      }
    } catch (cause) {
      throw new BodyError('The body could not be read', { cause })
    }
    if (size !== undefined && bytes !== size) {
      throw new BodyError('The body has another length', {
        cause: new RangeError(`The body has ${bytes} bytes, not ${size}`),
      })
    }
  }
  return Readable.from(read(), { objectMode: false })
}

/** What a failed put throws. */
export function putFailure(error: unknown): unknown {
  return error instanceof BodyError ? error.cause : storageDown(error)
}
