import type { ClientRequest, IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Client } from 'minio'
import type { Config } from '../../config.ts'
import { codeOf } from '../../errors.ts'
import { checkKey, type Storage, throwDown } from './storage.ts'

/** Importing it would also load Node's WebSocket client, 14 MB. */
const http = process.getBuiltinModule('node:http')

type S3Config = NonNullable<Config['s3']>

/** The most that S3 takes in one request, so that there are no unfinished uploads. */
const PART_BYTES = 5 * 1024 ** 3
const MAX_IDLE_CONNECTIONS = 16
/** The most that S3 allows. */
const LIST_PAGE_SIZE = 1000
/** While connecting, or between two bytes. */
const SILENCE_TIMEOUT_MS = 5000

/** Stores objects in an S3 bucket, addressed by path. */
export function createS3Storage({ endpoint, region, bucket, accessKey, secretKey }: S3Config): Storage {
  const { protocol, hostname, port } = new URL(endpoint)
  const secure = protocol === 'https:'
  const agent = new (secure ? https : http).Agent({ keepAlive: true, maxFreeSockets: MAX_IDLE_CONNECTIONS })
  let client: Client | undefined
  async function connect(): Promise<Client> {
    // Imported on first use, since the library is large and most shops use files.
    const { Client } = await import('minio')
    client ??= new Client({
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
    })
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

  const bucketExists = () => send((client) => client.bucketExists(bucket))

  return {
    async put(key, body, { contentType }) {
      checkKey(key)
      const headers = { 'Content-Type': contentType }
      await send((client) => client.putObject(bucket, key, body, body.length, headers)).catch(throwDown)
    },
    async open(key, range) {
      checkKey(key)
      const [start, length] = range ? [range.start, range.end - range.start + 1] : [0, 0]
      return send((client) => client.getPartialObject(bucket, key, start, length)).catch(nullIfMissing)
    },
    async delete(keys) {
      for (const key of keys) checkKey(key)
      if (keys.length === 0) return
      const failures = await send((client) => client.removeObjects(bucket, keys)).catch(throwDown)
      const failure = failures.find((one) => one?.Error?.Code !== 'NoSuchKey')
      if (failure) throwDown(new Error(`Not deleted: ${JSON.stringify(failure)}`))
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
      if (await bucketExists()) return
      await send((client) => client.makeBucket(bucket, region)).catch(async (error: unknown) => {
        // Another instance may have created it.
        if (!(await bucketExists())) throw error
      })
    },
    close: () => agent.destroy(),
  }
}

function nullIfMissing(error: unknown): null {
  if (codeOf(error) === 'NoSuchKey' || codeOf(error) === 'NotFound') return null
  throwDown(error)
}

/** Adds timeouts to http or https, which the S3 client lacks. A slow reader, who has its own, is no silent server. */
function withTimeouts(transport: typeof http | typeof https): Pick<typeof http, 'request'> {
  const request = new Proxy(transport.request, {
    apply(send, self, [options, ...others]) {
      const sent: ClientRequest = Reflect.apply(send, self, [{ ...options, timeout: SILENCE_TIMEOUT_MS }, ...others])
      let response: IncomingMessage | undefined
      sent.once('response', (received) => {
        response = received
      })
      sent.on('timeout', () => {
        if (response?.readableLength) sent.setTimeout(SILENCE_TIMEOUT_MS)
        else sent.destroy(new Error(`No response from the storage for ${SILENCE_TIMEOUT_MS} ms`))
      })
      return sent
    },
  })
  return { request }
}
