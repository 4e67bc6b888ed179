import type { RouteHandlerMethod } from 'fastify'
import { createBody, type EncodedBody } from '../src/runtime/cache/encoded-body.ts'
import { sendEncoded } from './http-caching.ts'

const TYPES = { json: 'application/json; charset=utf-8', yaml: 'application/yaml; charset=utf-8' }

/** Serves a document, which is serialised for the first request. */
export function serveDocument(
  format: keyof typeof TYPES,
  serialize: () => Promise<string>,
): RouteHandlerMethod {
  let body: EncodedBody | undefined
  return async (request, reply) => {
    body ??= createBody(Buffer.from(await serialize()))
    reply.addHeaders({ 'cache-control': 'public, no-cache', vary: 'Accept-Encoding' })
    return sendEncoded(request, reply.type(TYPES[format]), body)
  }
}
