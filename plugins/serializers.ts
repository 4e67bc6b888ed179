import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

type BuildSerializer = ReturnType<typeof SerializerSelector>
type Serializer = ReturnType<ReturnType<BuildSerializer>>

const build = SerializerSelector()
/** By the schemas that all routes share, then by the answer's own. */
const known = new Map<string, Map<string, Serializer>>()

/**
 * Answers are written by code that is made of their schema. Fastify makes it for each status of each route anew, and
 * looks at all shared schemas each time: most of what a start takes. Here the same schema is the same code.
 */
export const buildSerializer: BuildSerializer = (shared, options) => {
  const compile = build(shared, options)
  const key = JSON.stringify(shared)
  const serializers = known.get(key) ?? new Map<string, Serializer>()
  known.set(key, serializers)
  return (route) => {
    const schema = JSON.stringify(route.schema)
    const serializer = serializers.get(schema) ?? compile(route)
    serializers.set(schema, serializer)
    return serializer
  }
}
