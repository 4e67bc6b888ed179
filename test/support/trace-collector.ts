import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { cut, listen } from './loopback.ts'

type Value = { stringValue?: string; intValue?: number }
type Attribute = { key: string; value: Value }
type Sent = { traceId: string; spanId: string; parentSpanId?: string; name: string; attributes: Attribute[] }

/** A span as the collector received it. */
export type ReceivedSpan = Omit<Sent, 'attributes'> & { attributes: { [name: string]: string | number | undefined } }

/** Starts a collector that takes traces by OTLP over HTTP, as JSON. */
export async function startTraceCollector() {
  const spans: ReceivedSpan[] = []
  const bodies: string[] = []
  const state = { status: 200, silent: false, received: 0 }
  const valuesOf = (attributes: Attribute[]) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))
  const server = createServer(async (request, response) => {
    const body = Object(await json(request))
    state.received += 1
    if (state.silent) return
    response.writeHead(state.status, { 'content-type': 'application/json' }).end('{}')
    if (state.status !== 200) return
    bodies.push(JSON.stringify(body))
    for (const { scopeSpans } of body.resourceSpans)
      for (const { spans: sent } of scopeSpans)
        spans.push(...sent.map((span: Sent) => ({ ...span, attributes: valuesOf(span.attributes) })))
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  return { url, spans, bodies, state, close: () => cut(server) }
}
