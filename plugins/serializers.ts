import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import { SCHEMAS } from '../src/schemas/index.ts'

type Compile = ReturnType<ReturnType<typeof SerializerSelector>>
type Serializer = ReturnType<Compile>

const select = SerializerSelector()
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
      // Not all of them: the compiler validates each that it is given, every time.
      serializer = compiled.get(key) ?? select(namedSchemasIn(key))(route)
      compiled.set(key, serializer)
    }
    return serializer(data)
  }
}

/** The named schemas that one refers to, directly or not. */
export function namedSchemasIn(
  schema: string,
  found: { [id: string]: object } = {},
): { [id: string]: object } {
  for (const named of SCHEMAS) {
    const { $id = '' } = named
    if ($id in found || !schema.includes(`"$ref":"${$id}"`)) continue
    found[$id] = named
    namedSchemasIn(JSON.stringify(named), found)
  }
  return found
}
