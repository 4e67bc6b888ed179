import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { RouteHandlerMethod } from 'fastify'
import { accepts, isUnchanged } from '../src/rules/published/http-caching.ts'

const TYPES = { json: 'application/json; charset=utf-8', yaml: 'application/yaml; charset=utf-8' }
/** Nearly as small as the highest quality, in a tenth of the time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

/** Serves a document; it is serialised and compressed for the first request. */
export function serveDocument(format: keyof typeof TYPES, serialize: () => string): RouteHandlerMethod {
  let building: ReturnType<typeof build> | undefined

  async function build() {
    const identity = Buffer.from(serialize())
    const [br, zipped] = await Promise.all([
      promisify(brotliCompress)(identity, BROTLI),
      promisify(gzip)(identity),
    ])
    return { bytes: { identity, br, gzip: zipped }, hash: createHash('sha1').update(identity).digest('hex') }
  }

  return async ({ headers }, reply) => {
    building ??= build()
    const { bytes, hash } = await building
    const accepted = headers['accept-encoding']
    const encoding = (['br', 'gzip'] as const).find((one) => accepts(accepted, one)) ?? 'identity'
    const etag = `"${hash}-${encoding}"`
    reply.addHeaders({ etag, 'cache-control': 'public, no-cache', vary: 'Accept-Encoding' })
    if (isUnchanged(headers, { etag })) return reply.code(304).send()
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.type(TYPES[format]).send(bytes[encoding])
  }
}
