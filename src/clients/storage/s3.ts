import http from 'node:http'
import https from 'node:https'
import type { Readable } from 'node:stream'
import type { Client } from 'minio'
import type { Config } from '../../config.ts'
import { bodyStream, checkKey, putFailure, type Storage, storageDown } from './storage.ts'
import { withTimeouts } from './transport.ts'

type S3Config = NonNullable<Config['s3']>

/** Larger than any image, which is so sent at once; of a longer stream one such piece is in the memory. */
const PART_BYTES = 16 * 1024 * 1024
const KEPT_CONNECTIONS = 16

/** Objects in a bucket of any server that speaks S3, addressed by path. */
export function createS3Storage({ endpoint, region, bucket, accessKey, secretKey }: S3Config): Storage {
  const { protocol, hostname, port } = new URL(endpoint)
  const secure = protocol === 'https:'
  const agent = new (secure ? https : http).Agent({ keepAlive: true, maxFreeSockets: KEPT_CONNECTIONS })
  let made: Promise<Client> | undefined
  // Loaded when it is needed: it is large, and most shops keep their objects in files.
  const connected = () => {
    made ??= import('minio').then(
      ({ Client }) =>
        new Client({
          endPoint: hostname,
          port: port === '' ? (secure ? 443 : 80) : Number(port),
          useSSL: secure,
          ...{ region, accessKey, secretKey },
          transport: withTimeouts(secure ? https : http),
          transportAgent: agent,
          // It would write to the console.
          retryOptions: { disableRetry: true },
        }),
    )
    return made
  }

  /** Every request may be sent twice; a connection kept open may have been closed at the other end. */
  async function ask<T>(request: (client: Client) => Promise<T>): Promise<T> {
    const client = await connected()
    return request(client).catch((error: unknown) => {
      if (codeOf(error) !== 'ECONNRESET' && codeOf(error) !== 'EPIPE') throw error
      return request(client)
    })
  }

  async function putParts(key: string, parts: AsyncIterable<Buffer>, headers: Record<string, string>) {
    const client = await connected()
    const upload = await ask(() => client.initiateNewMultipartUpload(bucket, key, headers))
    try {
      const etags: { part: number; etag: string }[] = []
      for await (const bytes of parts) {
        const place = { bucketName: bucket, objectName: key, uploadID: upload, partNumber: etags.length + 1 }
        const { etag, part } = await ask(() => client.uploadPart({ ...place, headers: {} }, bytes))
        etags.push({ part, etag })
      }
      await client.completeMultipartUpload(bucket, key, upload, etags)
    } catch (error) {
      // What stays of it is no object; servers have rules for how long they keep such a thing.
      await client.abortMultipartUpload(bucket, key, upload).catch(() => {})
      throw error
    }
  }

  return {
    async put(key, body, { contentType, size }) {
      checkKey(key)
      const headers = { 'Content-Type': contentType }
      const putWhole = (bytes: Buffer) =>
        ask((client) => client.putObject(bucket, key, bytes, bytes.length, headers))
      try {
        if (Buffer.isBuffer(body) && body.length <= PART_BYTES) return void (await putWhole(body))
        const parts = partsOf(Buffer.isBuffer(body) ? [body] : bodyStream(body, size))
        const { value: first = Buffer.alloc(0) } = await parts.next()
        const { value: second } = await parts.next()
        if (second === undefined) await putWhole(first)
        else await putParts(key, concat([first, second], parts), headers)
      } catch (error) {
        throw putFailure(error)
      } finally {
        if (!Buffer.isBuffer(body)) body.destroy()
      }
    },
    async open(key, range) {
      checkKey(key)
      const { start, length } = range
        ? { start: range.start, length: range.end - range.start + 1 }
        : { start: 0, length: 0 }
      const body = await ask((client) => client.getPartialObject(bucket, key, start, length)).catch(
        unlessMissing,
      )
      if (!body) return null
      const size = sizeOf(body)
      if (size !== null) return { body, size }
      body.destroy()
      throw storageDown(new Error('The answer does not say how large the object is'))
    },
    async stat(key) {
      checkKey(key)
      const found = await ask((client) => client.statObject(bucket, key)).catch(unlessMissing)
      return found && { size: found.size, modifiedAt: found.lastModified }
    },
    async delete(keys) {
      for (const key of keys) checkKey(key)
      if (keys.length === 0) return
      const failures = await ask((client) => client.removeObjects(bucket, keys)).catch(asDown)
      const failure = failures.find((one) => one?.Error?.Code !== 'NoSuchKey')
      if (failure) throw storageDown(new Error(`Not deleted: ${JSON.stringify(failure)}`))
    },
    async *list(prefix) {
      try {
        const client = await connected()
        for await (const { name, size, lastModified } of client.listObjectsV2(bucket, prefix, true)) {
          if (name !== undefined) yield { key: name, size, modifiedAt: lastModified }
        }
      } catch (error) {
        throw storageDown(error)
      }
    },
    async prepare() {
      const client = await connected()
      if (await ask(() => client.bucketExists(bucket))) return
      await client.makeBucket(bucket, region).catch(async (error: unknown) => {
        // Another instance may have been faster.
        if (!(await client.bucketExists(bucket))) throw error
      })
    },
    async check() {
      if (!(await ask((client) => client.bucketExists(bucket))))
        throw new Error(`There is no bucket ${bucket}`)
    },
    close: () => agent.destroy(),
  }
}

/** The same bytes in pieces as large as a part, the last one perhaps smaller. */
async function* partsOf(body: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  let held: Buffer[] = []
  let bytes = 0
  for await (const piece of body) {
    let rest = piece
    while (bytes + rest.length > PART_BYTES) {
      yield Buffer.concat([...held, rest.subarray(0, PART_BYTES - bytes)])
      rest = rest.subarray(PART_BYTES - bytes)
      held = []
      bytes = 0
    }
    held.push(rest)
    bytes += rest.length
  }
  if (bytes > 0) yield Buffer.concat(held)
}

async function* concat(first: Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* first
  yield* rest
}

/** Of the whole object, also when only a piece of it was asked for. */
function sizeOf(body: Readable): number | null {
  if (!(body instanceof http.IncomingMessage)) return null
  const size = body.headers['content-range']?.split('/')[1] ?? body.headers['content-length']
  return size !== undefined && /^\d+$/.test(size) ? Number(size) : null
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function unlessMissing(error: unknown): null {
  if (codeOf(error) === 'NoSuchKey' || codeOf(error) === 'NotFound') return null
  throw storageDown(error)
}

function asDown(error: unknown): never {
  throw storageDown(error)
}
