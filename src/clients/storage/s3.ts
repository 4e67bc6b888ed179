import https from 'node:https'
import type { Readable } from 'node:stream'
import type { Client } from 'minio'
import type { Config } from '../../config.ts'
import { codeOf } from '../../errors.ts'
import { checkKey, type Storage, storageDown } from './storage.ts'
import { withTimeouts } from './transport.ts'

/** Importing it would load all of its WebSocket client. */
const http = process.getBuiltinModule('node:http')

type S3Config = NonNullable<Config['s3']>

/** The most that S3 takes in one request, so that there are no unfinished uploads. */
const PART_BYTES = 5 * 1024 ** 3
const MAX_IDLE_CONNECTIONS = 16
/** The most that S3 allows. */
const LIST_PAGE_SIZE = 1000

/** Stores objects in an S3 bucket, addressed by path. */
export function createS3Storage({ endpoint, region, bucket, accessKey, secretKey }: S3Config): Storage {
  const { protocol, hostname, port } = new URL(endpoint)
  const secure = protocol === 'https:'
  const agent = new (secure ? https : http).Agent({ keepAlive: true, maxFreeSockets: MAX_IDLE_CONNECTIONS })
  let client: Promise<Client> | undefined
  // Imported on first use, since the library is large and most shops use files.
  const connect = () => {
    client ??= import('minio').then(
      ({ Client }) =>
        new Client({
          endPoint: hostname,
          port: port === '' ? (secure ? 443 : 80) : Number(port),
          useSSL: secure,
          region,
          accessKey,
          secretKey,
          partSize: PART_BYTES,
          transport: withTimeouts(secure ? https : http),
          transportAgent: agent,
          // Its retries log to the console.
          retryOptions: { disableRetry: true },
        }),
    )
    return client
  }

  /** Retries once when the server has closed the idle connection. Each request may be repeated. */
  async function send<T>(request: (client: Client) => Promise<T>): Promise<T> {
    const connected = await connect()
    return request(connected).catch((error: unknown) => {
      if (codeOf(error) !== 'ECONNRESET' && codeOf(error) !== 'EPIPE') throw error
      return request(connected)
    })
  }

  return {
    async put(key, body, { contentType }) {
      checkKey(key)
      const headers = { 'Content-Type': contentType }
      await send((client) => client.putObject(bucket, key, body, body.length, headers)).catch(throwDown)
    },
    async open(key, range) {
      checkKey(key)
      const { start, length } = range
        ? { start: range.start, length: range.end - range.start + 1 }
        : { start: 0, length: 0 }
      const body = await send((client) => client.getPartialObject(bucket, key, start, length)).catch(
        nullIfMissing,
      )
      if (!body) return null
      const size = sizeOf(body)
      if (size !== null) return { body, size }
      body.destroy()
      throw storageDown(new Error('The response has no size of the object'))
    },
    async delete(keys) {
      for (const key of keys) checkKey(key)
      if (keys.length === 0) return
      const failures = await send((client) => client.removeObjects(bucket, keys)).catch(throwDown)
      const failure = failures.find((one) => one?.Error?.Code !== 'NoSuchKey')
      if (failure) throw storageDown(new Error(`Not deleted: ${JSON.stringify(failure)}`))
    },
    async *list(prefix) {
      let continuation = ''
      do {
        const page = await send((client) =>
          client.listObjectsV2Query(bucket, prefix, continuation, '', LIST_PAGE_SIZE, ''),
        ).catch(throwDown)
        for (const { name, lastModified } of page.objects) {
          if (name !== undefined) yield { key: name, modifiedAt: lastModified }
        }
        continuation = page.isTruncated ? page.nextContinuationToken : ''
      } while (continuation !== '')
    },
    async prepare() {
      const client = await connect()
      if (await send(() => client.bucketExists(bucket))) return
      await client.makeBucket(bucket, region).catch(async (error: unknown) => {
        // Another instance may have created it.
        if (!(await client.bucketExists(bucket))) throw error
      })
    },
    async check() {
      if (!(await send((client) => client.bucketExists(bucket))))
        throw new Error(`There is no bucket ${bucket}`)
    },
    close: () => agent.destroy(),
  }
}

/** Size of the whole object, for a range too. */
function sizeOf(body: Readable): number | null {
  if (!(body instanceof http.IncomingMessage)) return null
  const size = body.headers['content-range']?.split('/')[1] ?? body.headers['content-length']
  return size !== undefined && /^\d+$/.test(size) ? Number(size) : null
}

function nullIfMissing(error: unknown): null {
  if (codeOf(error) === 'NoSuchKey' || codeOf(error) === 'NotFound') return null
  throw storageDown(error)
}

function throwDown(error: unknown): never {
  throw storageDown(error)
}
