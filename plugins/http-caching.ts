import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { chooseEncoding, ENCODINGS, etagOf, matchTag } from '../src/rules/published/http-caching.ts'
import type { EncodedBody } from '../src/runtime/cache/encoded-body.ts'
import { isByStaff } from './auth.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route sends its JSON with `reply.cacheable`. With `optionalToken`, because staff's answers must not be stored. */
    cacheable?: true
  }
  interface FastifyReply {
    /** Sends public JSON that clients may store and revalidate, or staff's, which they may not store. */
    cacheable(body: EncodedBody): FastifyReply | Promise<FastifyReply>
  }
}

/** Lets clients store public JSON (docs/http.md). */
export const httpCachingPlugin = fp<{ maxAgeSeconds: number }>(
  async (app, { maxAgeSeconds }) => {
    const cacheControl = `public, max-age=${maxAgeSeconds}, must-revalidate`

    app.decorateReply('cacheable', function cacheable(this: FastifyReply, body: EncodedBody) {
      const { request } = this
      this.addHeaders({ vary: 'Accept-Encoding, Authorization' }).type('application/json; charset=utf-8')
      if (body.total !== undefined) this.header('x-total-count', body.total)
      // Not compressed: the result couldn't be reused. A proxy may do it.
      if (isByStaff(request)) return this.header('cache-control', 'no-store').send(body.bytes)
      return sendEncoded(request, this.header('cache-control', cacheControl), body)
    })
  },
  { name: 'http-caching', dependencies: ['auth', 'responses'] },
)

/** Sends the body in the encoding that the client prefers, or a 304 if the client has it in any encoding. */
export function sendEncoded(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  body: EncodedBody,
): FastifyReply | Promise<FastifyReply> {
  const { version } = body
  const encoding = body.isCompressible ? chooseEncoding(headers['accept-encoding'], ENCODINGS) : 'identity'
  const etag = etagOf(version, encoding)
  const known = headers['if-none-match']
  if (known !== undefined) {
    const others = ENCODINGS.map((one) => etagOf(version, one))
    // Caddy sends the tag without the suffix of the encoding.
    const match = matchTag(known, [etag, ...others, etagOf(version, 'identity')])
    if (match !== undefined) return reply.code(304).removeHeader('content-type').header('etag', match).send()
  }
  if (encoding === 'identity') return reply.header('etag', etag).send(body.bytes)
  return body
    .encode(encoding)
    .then((encoded) => reply.header('etag', etag).header('content-encoding', encoding).send(encoded))
}
