import type { Readable } from 'node:stream'
import type { TSchema } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { invalid } from '../src/errors.ts'
import { serialize } from '../src/schemas/serialization.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Sets headers as `headers` does, but adds to `Vary` instead of replacing what plugins have set. */
    addHeaders(headers: Record<string, string>): FastifyReply
    /** Sends JSON that a schema has serialized, where the schema depends on the caller. */
    json(text: string): FastifyReply
    /** Sends a file as it is generated. */
    csv(file: CsvFile): FastifyReply
  }
}

type CsvFile = { headers: Record<string, string>; body: Readable }

/** OWASP's headers for REST services. Images and JSON may be embedded by storefronts of other origins. */
const SECURITY_HEADERS = {
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'cross-origin',
}

/** Adds the headers that all responses share, `reply.json` and `reply.csv`. */
export const responsesPlugin = fp(
  async (app) => {
    app.setSerializerCompiler<TSchema>(
      ({ schema }) =>
        (value) =>
          serialize(schema, value),
    )
    app.decorateReply('addHeaders', function addHeaders(this: FastifyReply, headers: Record<string, string>) {
      const vary = this.getHeader('vary')
      this.headers(headers)
      return vary && headers.vary ? this.header('vary', `${vary}, ${headers.vary}`) : this
    })
    app.decorateReply('json', function json(this: FastifyReply, text: string) {
      return this.type('application/json; charset=utf-8').send(text)
    })
    app.decorateReply('csv', function csv(this: FastifyReply, { headers, body }: CsvFile) {
      // For a HEAD, Fastify would read all of it.
      if (this.request.method === 'HEAD') body.destroy()
      return this.headers(headers).send(body)
    })
    // RFC 9112, 3.2. Node checks less, and its response would lack our headers and error format: see app.ts.
    app.addHook('onRequest', (request, reply, done) => {
      reply.headers(SECURITY_HEADERS).header('x-request-id', request.id)
      const { rawHeaders, httpVersion } = request.raw
      const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
      if (hosts === 1 || (hosts === 0 && httpVersion !== '1.1')) return done()
      reply.header('connection', 'close')
      done(invalid({ path: 'headers.host', code: hosts === 0 ? 'EMPTY' : 'REPEATED' }))
    })
  },
  { name: 'responses', dependencies: ['errors'] },
)

/**
 * A signal that aborts when the connection closes before the response is sent. Fastify's `request.signal` won't do: it
 * aborts as soon as a body has been read.
 */
export function closeSignal({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  if (socket.destroyed) controller.abort()
  else raw.once('close', () => raw.writableFinished || controller.abort())
  return controller.signal
}
