import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import { SCHEMAS } from '../src/schemas/index.ts'

type Compile = ReturnType<ReturnType<typeof SerializerSelector>>
type Serializer = ReturnType<Compile>

const compile = SerializerSelector()(Object.fromEntries(SCHEMAS.map((schema) => [schema.$id, schema])))
const compiled = new Map<string, Serializer>()

/**
 * Compiles a serializer when its first response is sent, and once per schema. Fastify compiles one per route and status
 * at start, which took most of the start-up time.
 */
export const buildSerializer = (): Compile => (route) => {
  let serializer: Serializer | undefined
  return (data) => {
    if (serializer === undefined) {
      const key = JSON.stringify(route.schema)
      serializer = compiled.get(key) ?? compile(route)
      compiled.set(key, serializer)
    }
    return serializer(data)
  }
}
