import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Faults } from './faults.ts'

const ERROR_PAGE = `<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head>
<body><h1>502 Bad Gateway</h1><hr>nginx</body></html>`
const STREAM_CUT_AT = 16 * 1024

/** Applies the faults to all requests except those under `exempt`. */
export function addFaults(app: FastifyInstance, faults: Faults, apiPrefix: string, exempt: string): void {
  const toCut = new WeakSet<FastifyRequest>()

  app.addHook('onRequest', async (request, reply) => {
    if (request.url.startsWith(exempt)) return
    const { kind, latencyMs } = faults.next(request.url, request.url.startsWith(apiPrefix))
    if (latencyMs > 0) await delay(latencyMs, undefined, { ref: false })
    if (kind === 'cut') toCut.add(request)
    else if (kind === 'hang') reply.hijack()
    else if (kind === 'fail') return fail(reply, faults)
    else if (kind === 'malformed') return reply.type('text/html; charset=utf-8').send(ERROR_PAGE)
    else if (kind === 'replace') return reply.type('application/json').send(JSON.stringify(faults.replaceBody))
  })

  app.addHook('onSend', async (request, reply, payload) => {
    if (!toCut.has(request)) return payload
    if (payload instanceof Readable) return Readable.from(firstPart(payload))
    const whole = Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload ?? ''))
    reply.header('content-length', whole.length)
    return Readable.from(firstHalf(whole))
  })
}

function fail(reply: FastifyReply, faults: Faults): FastifyReply {
  if (faults.retryAfter !== null) reply.header('retry-after', faults.retryAfter)
  return reply.code(faults.status).send({ error: 'demo fault' })
}

async function* firstHalf(whole: Buffer): AsyncGenerator<Buffer> {
  yield whole.subarray(0, Math.max(1, Math.floor(whole.length / 2)))
  // Gives the socket time to send the half; otherwise the client would see no response at all.
  await delay(10)
  throw new Error('demo fault: response cut')
}

async function* firstPart(source: Readable): AsyncGenerator<unknown> {
  let sent = 0
  for await (const chunk of source) {
    yield chunk
    sent += Buffer.byteLength(String(chunk))
    if (sent >= STREAM_CUT_AT) break
  }
  await delay(10)
  throw new Error('demo fault: response cut')
}
