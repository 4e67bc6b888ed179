import { createServer, type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { type DemoSupplier, type DemoSupplierOptions, startDemoSupplier } from '../../demo/supplier.ts'
import { cut, listen } from './loopback.ts'

/** What goes wrong; `…Next: n` concerns the next n requests, `…Every: n` every nth. */
export type Faults = {
  /** Only requests whose path and query contain this text; null: all of the API. */
  path: string | null
  /** Delay of every response. */
  latencyMs: number
  /** No response. */
  hangNext: number
  /** `status` instead of a response. */
  failNext: number
  failEvery: number
  status: number
  /** A 200 with an HTML error page. */
  malformedNext: number
  /** A 200 with `replaceBody` as JSON. */
  replaceNext: number
  replaceBody: unknown
  /** The response breaks off half-way. */
  cutNext: number
  cutEvery: number
  /** The supplier does what is asked, but the connection closes without a response. */
  loseAnswerNext: number
  /** `nextPage` of ListProducts is always the requested page. */
  stuckNextPage: boolean
}

const NO_FAULTS: Faults = {
  path: null,
  latencyMs: 0,
  hangNext: 0,
  failNext: 0,
  failEvery: 0,
  status: 500,
  malformedNext: 0,
  replaceNext: 0,
  replaceBody: { error: 'temporarily unavailable' },
  cutNext: 0,
  cutEvery: 0,
  loseAnswerNext: 0,
  stuckNextPage: false,
}

type RecordedRequest = { method: string; path: string; headers: IncomingHttpHeaders }
type Response = { status: number; headers: IncomingHttpHeaders; body: Buffer }

export type FaultySupplier = DemoSupplier & {
  faults: { set(faults: Partial<Faults>): void; reset(): void }
  /** All requests since the start, oldest first; a test may empty it. */
  requests: RecordedRequest[]
  /** Added to the last page of ListProducts as they are: malformed records, repeated ids. */
  rawProducts: unknown[]
}

/** The demo supplier behind a server that records requests and answers wrongly when a test wants it. */
export async function startFaultySupplier(options: DemoSupplierOptions): Promise<FaultySupplier> {
  const supplier = await startDemoSupplier(options)
  const supplierPort = Number(new URL(supplier.url).port)
  const faults = { ...NO_FAULTS }
  const requests: RecordedRequest[] = []
  const rawProducts: unknown[] = []
  let matched = 0

  /** Whether this request is one of the next n, which it then uses up. */
  function isNext(name: 'hangNext' | 'failNext' | 'malformedNext' | 'replaceNext' | 'cutNext' | 'loseAnswerNext') {
    if (faults[name] === 0) return false
    faults[name] -= 1
    return true
  }
  const isEvery = (count: number) => count > 0 && matched % count === 0

  function changed(path: string, body: Buffer): Buffer {
    if (!path.startsWith('/api/ListProducts') || (!faults.stuckNextPage && rawProducts.length === 0)) return body
    const { items, page, nextPage } = JSON.parse(body.toString('utf8'))
    if (nextPage === null) items.push(...rawProducts)
    return Buffer.from(JSON.stringify({ items, page, nextPage: faults.stuckNextPage ? page : nextPage }))
  }

  const server = createServer(async (request, response) => {
    const { method = 'GET', url: path = '/', headers } = request
    requests.push({ method, path, headers })
    const concerned = faults.path === null ? path.startsWith('/api/') : path.includes(faults.path)
    if (concerned) {
      matched += 1
      await delay(faults.latencyMs, undefined, { ref: false })
      if (isNext('hangNext')) return
      if (isNext('failNext') || isEvery(faults.failEvery)) {
        response.writeHead(faults.status, { 'content-type': 'application/json' }).end('{"error":"fault of a test"}')
        return
      }
      if (isNext('malformedNext')) {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>')
        return
      }
      if (isNext('replaceNext')) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(faults.replaceBody))
        return
      }
    }
    const answer = await forward(supplierPort, request).catch(() => null)
    if (answer === null || (path.startsWith('/api/CreateOrder') && isNext('loseAnswerNext'))) {
      response.destroy()
      return
    }
    const body = changed(path, answer.body)
    response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length })
    if (concerned && (isNext('cutNext') || isEvery(faults.cutEvery))) {
      response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.destroy())
    } else response.end(body)
  })
  const siteUrl = `http://127.0.0.1:${await listen(server)}`

  return {
    ...supplier,
    url: `${siteUrl}/api`,
    siteUrl,
    feedUrl: `${siteUrl}/feed.xml`,
    faults: {
      set: (wanted) => void Object.assign(faults, wanted),
      reset: () => {
        matched = 0
        Object.assign(faults, NO_FAULTS)
      },
    },
    requests,
    rawProducts,
    async close() {
      await cut(server)
      await supplier.close()
    },
  }
}

/** Asks the supplier the same, under the host that was asked, since its links name it. */
async function forward(port: number, from: IncomingMessage): Promise<Response> {
  const sent = await buffer(from)
  return new Promise((resolve, reject) => {
    const request = send({ port, host: '127.0.0.1', method: from.method, path: from.url, headers: from.headers })
    request.on('error', reject)
    request.on('response', (answer) => {
      const { statusCode: status = 500, headers } = answer
      delete headers['transfer-encoding']
      buffer(answer).then((body) => resolve({ status, headers, body }), reject)
    })
    request.end(sent)
  })
}
