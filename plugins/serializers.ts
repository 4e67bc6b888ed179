import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import { SCHEMAS } from '../src/schemas/common.ts'

type Serializer = ReturnType<FastifySerializerCompiler<unknown>>

const select = SerializerSelector()
const compiled = new Map<string, Serializer>()

/**
 * Compiles a serializer when its first response is sent, and once per schema. Fastify would compile one per route and
 * status at start, and copy the named schemas for every plugin, which took most of the start-up time.
 */
export const compileSerializer: FastifySerializerCompiler<unknown> = ({ httpStatus = '', ...route }) => {
  let serializer: Serializer | undefined
  return (data) => {
    if (serializer === undefined) {
      const key = JSON.stringify(route.schema)
      // Only those it needs: the compiler validates every schema that it is given, each time.
      serializer = compiled.get(key) ?? select(namedSchemasIn(key))({ ...route, httpStatus })
      compiled.set(key, serializer)
    }
    return serializer(data)
  }
}

/** The named schemas that a schema refers to, directly or indirectly. */
export function namedSchemasIn(
  schema: string,
  found: { [id: string]: object } = {},
): { [id: string]: object } {
  for (const [$id, named] of SCHEMAS) {
    if ($id in found || !schema.includes(`"$ref":"${$id}"`)) continue
    found[$id] = named
    namedSchemasIn(JSON.stringify(named), found)
  }
  return found
}
