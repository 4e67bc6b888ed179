import type { Readable } from 'node:stream'
import { AppError } from '../../errors.ts'

/** Bytes `start` to `end`, both inclusive and within the object. */
type ByteRange = { start: number; end: number }

/**
 * Object storage in files or on an S3 server. No key may be a folder of another, see `checkKey`. Methods throw
 * AppError 503 when the storage fails.
 */
export type Storage = {
  /** Creates or replaces an object atomically; reads in progress still get the old one. */
  put(key: string, body: Buffer, options: { contentType: string }): Promise<void>
  /**
   * Opens an object or a range of it, which must be read to its end or destroyed.
   * @returns null when there is no such object
   */
  open(key: string, range?: ByteRange): Promise<Readable | null>
  /** Ignores missing objects. */
  delete(keys: string[]): Promise<void>
  /** Lists the objects with this prefix, in no particular order. */
  list(prefix: string): AsyncIterable<{ key: string; modifiedAt: Date }>
  /** Creates the folder or bucket, and deletes temporary files of crashed processes. */
  prepare(): Promise<void>
  close(): void
}

const KEY = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/
const MAX_KEY_LENGTH = 512

/** Allows a to z, digits, `.`, `_`, `-` and `/`; no part begins with a dot. @throws TypeError for any other key */
export function checkKey(key: string): string {
  if (key.length > MAX_KEY_LENGTH || !KEY.test(key)) throw new TypeError(`"${key}" is not a valid object key`)
  return key
}

/** @throws AppError 503, whose cause is logged */
export function throwDown(cause: unknown): never {
  throw new AppError(503, 'UNAVAILABLE', 'The storage does not answer; please retry', { cause })
}
