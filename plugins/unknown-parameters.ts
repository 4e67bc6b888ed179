import type { FastifySchema } from 'fastify'
import fp from 'fastify-plugin'

const HEADER = 'x-unknown-parameters'
/** Clients choose the names: the header must stay far below what proxies accept. */
const MAX_NAMES = 10
const MAX_NAME_LENGTH = 50

/** Names the query parameters that the endpoint doesn't know, which it ignores (contract section 1, "Errors"). */
export const unknownParametersPlugin = fp(
  async (app) => {
    const known = new WeakMap<FastifySchema, (name: string) => boolean>()

    app.addHook('onRequest', (request, reply, done) => {
      const names = Object.keys(Object(request.query))
      const schema = names.length > 0 && request.routeOptions.schema
      if (!schema) return done()
      const isKnown = known.get(schema) ?? readKnown(schema)
      known.set(schema, isKnown)
      const unknown = names.filter((name) => !isKnown(name))
      if (unknown.length > 0) reply.header(HEADER, unknown.slice(0, MAX_NAMES).map(encode).join(', '))
      done()
    })
  },
  { name: 'unknown-parameters', dependencies: ['errors'] },
)

function readKnown({ querystring }: FastifySchema): (name: string) => boolean {
  const schema: { properties?: object; patternProperties?: object } = Object(querystring)
  const names = new Set(Object.keys(schema.properties ?? {}))
  const patterns = Object.keys(schema.patternProperties ?? {}).map((pattern) => new RegExp(pattern))
  return (name) => names.has(name) || patterns.some((pattern) => pattern.test(name))
}

/** Percent-encoded, as in a query string: no name can end the header or the list. */
function encode(name: string): string {
  return encodeURIComponent(name.slice(0, MAX_NAME_LENGTH).toWellFormed())
}
