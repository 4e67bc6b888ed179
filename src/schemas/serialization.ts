import { createRequire } from 'node:module'
import type { Static, TSchema } from '@sinclair/typebox'
import { named, SCHEMAS } from './common.ts'

const require = createRequire(import.meta.url)
const serializers = new WeakMap<TSchema, (value: unknown) => string>()

/**
 * Writes a value as JSON: exactly the members that the schema declares, at any depth. Fastify's serializer, compiled with the
 * first value: compiling all of them would double the time of a start.
 */
export function serialize<T extends TSchema>(schema: T, value: Static<T>): string {
  const known = serializers.get(schema)
  if (known) return known(value)
  const compiled = compile(schema)
  serializers.set(schema, compiled)
  return compiled(value)
}

function compile(schema: TSchema): (value: unknown) => string {
  const build: (schema: object, options: object) => (value: unknown) => string = require('fast-json-stringify')
  const root = schema.$id === undefined ? schema : { $ref: named(schema).$id }
  return build(root, { schema: Object.fromEntries(referred(root)) })
}

/** The named schemas that a schema refers to, also through others: each costs time when a serializer is compiled. */
function referred(schema: object, found = new Map<string, TSchema>()): Map<string, TSchema> {
  JSON.stringify(schema, (_key, value) => {
    const target = SCHEMAS.get(value?.$ref)
    if (target !== undefined && !found.has(value.$ref)) referred(target, found.set(value.$ref, target))
    return value
  })
  return found
}

/** The schema without references, for readers who don't have the named schemas. */
export function inlined(schema: object | undefined): object {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === '$id') return undefined
    if (value?.$ref === undefined) return value
    const { $ref, ...rest } = value
    return { ...inlined(SCHEMAS.get($ref)), ...rest }
  })
}
