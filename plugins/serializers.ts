import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import { SCHEMAS } from '../src/schemas/index.ts'

type Compile = ReturnType<ReturnType<typeof SerializerSelector>>
type Serializer = ReturnType<Compile>

const compile = SerializerSelector()(Object.fromEntries(SCHEMAS.map((schema) => [schema.$id, schema])))
const known = new Map<string, Serializer>()

/**
 * Answers are written by code that is made of their schema. Fastify makes it for each status of each route anew, and
 * looks at all shared schemas each time: most of what a start took. Here the same schema is the same code, and it is
 * made when the first such answer is sent.
 */
export const buildSerializer = (): Compile => (route) => {
  let serializer: Serializer | undefined
  return (answer) => {
    serializer ??= serializerOf(route)
    return serializer(answer)
  }
}

function serializerOf(route: Parameters<Compile>[0]): Serializer {
  const schema = JSON.stringify(route.schema)
  const serializer = known.get(schema) ?? compile(route)
  known.set(schema, serializer)
  return serializer
}
