import { type SchemaOptions, type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { MAX_INT } from '../rules/lists.ts'
import { MAX_AMOUNT } from '../rules/money.ts'
import { VISIBLE, VISIBLE_LINE } from '../rules/text.ts'

const ID_EXAMPLES = [12]

/** An id; beyond the column's range it is a 404 in a path, otherwise a 400 (docs/http.md). */
export function Id(description: string) {
  return Type.Integer({ minimum: 1, maximum: MAX_INT, description, examples: ID_EXAMPLES })
}

export const IdParams = Type.Object({ id: Id('Id of the record') })

export function Count(description: string, example?: number) {
  return Type.Integer({ minimum: 0, maximum: MAX_INT, description, ...withExample(example) })
}

export const DisplayOrder = Type.Integer({
  minimum: -MAX_INT,
  maximum: MAX_INT,
  description: 'Sort position, ascending',
})

/** An amount with at most two decimals, within numeric(12,2). */
export function Money(description: string, example?: number) {
  return Type.Number({ minimum: 0, maximum: MAX_AMOUNT, description, ...withExample(example) })
}

/** The same in a request. */
export function Amount(description: string, example?: number) {
  return { ...Money(description, example), format: 'amount' }
}

/** A slug that staff choose. */
export function Slug(description: string, example?: string) {
  return Type.String({ minLength: 1, maxLength: 120, format: 'slug', description, ...withExample(example) })
}

/** A sum of amounts, which may exceed the range of one. */
export function Total(description: string, example: number) {
  return Type.Number({ minimum: 0, description, examples: [example] })
}

/** A time, ISO 8601 in UTC. */
export function Timestamp(description: string) {
  return Type.String({ format: 'date-time', maxLength: 40, description })
}

function withExample(example: unknown) {
  return example === undefined ? {} : { examples: [example] }
}

/** Text without limits, for responses. */
export function Text(description: string, example?: string) {
  return Type.String({ description, ...withExample(example) })
}

/** Marks the descriptions of products and brands: they are HTML, sanitised when written. All other texts are plain. */
export const HTML = { contentMediaType: 'text/html' }

/** A string enum; unlike a union of literals it reports one error, not one per value. */
export function Enum<const Value extends string>(values: readonly Value[], options: SchemaOptions = {}) {
  return Type.Unsafe<Value>({ ...options, type: 'string', enum: values })
}

/** A string enum that the API description names. */
export function NamedEnum<const Value extends string>($id: string, description: string, values: readonly Value[]) {
  return Enum(values, { $id, description })
}

/** The schemas that the API description names, by `$id`. Complete once the routes are registered. */
export const SCHEMAS = new Map<string, TSchema>()

/** A record with a name in the API description, and an example composed of its members' examples. */
export function NamedObject<Members extends TProperties>($id: string, description: string, members: Members) {
  const schema = Type.Object(members, { $id, description })
  return { ...schema, examples: [exampleOf(schema)] }
}

/** The schema's example, or else a plausible value; null if there is none. */
export function exampleOf(schema: TSchema): unknown {
  const { type, format, const: only, enum: values, examples, items, minimum = 0 } = schema
  if (hasExample(schema)) return examples[0]
  if (schema.$ref) return exampleOf(SCHEMAS.get(schema.$ref) ?? Type.Null())
  const inner = schema.allOf?.[0] ?? schema.anyOf?.[0]
  if (inner) return exampleOf(inner)
  if (type === 'object') return exampleOfMembers(schema)
  if (type === 'array') return [exampleOf(items)].filter((item) => item !== null)
  if (type === 'integer') return examples?.[0] ?? Math.max(2, minimum)
  return values?.[0] ?? only ?? PLAUSIBLE[type === 'string' ? format : type] ?? null
}

/** Of texts by their format, of others by their type. */
const PLAUSIBLE: { [kind: string]: unknown } = {
  boolean: true,
  number: 4554.99,
  'date-time': '2026-11-21T10:05:00.000Z',
  date: '2026-11-21',
}

/** Whether the schema has an example of its own, not just that of every id. */
function hasExample({ examples }: TSchema): boolean {
  return examples !== undefined && examples !== ID_EXAMPLES
}

function exampleOfMembers({ properties = {}, required = [] }: TSchema): object {
  const names = Object.keys(properties).filter((name) => required.includes(name) || hasExample(properties[name]))
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name])]))
}

/** Adds null to a schema: to its `type` if possible, else by a union. */
export function Nullable<T extends TSchema>(schema: T, options: SchemaOptions = {}) {
  const { type } = schema
  return typeof type === 'string' && schema.enum === undefined
    ? Type.Unsafe<Static<T> | null>({ ...schema, ...options, type: [type, 'null'] })
    : Type.Unsafe<Static<T> | null>(Type.Union([schema, Type.Null()], options))
}

/** A day of the shop's calendar, YYYY-MM-DD. */
export function Day(description: string) {
  return Type.String({ format: 'date', maxLength: 40, description })
}

/** Text of a request. */
export function FreeText(maxLength: number, description: string, example?: string) {
  return Type.String({ maxLength, description, ...withExample(example) })
}

/**
 * Text of a query, of which services get what a rule makes of it. Its faults are reported together with those of other fields.
 * @param parse throws AppError 400
 */
export function Parsed<Value>(maxLength: number, description: string, example: string, parse: (text: string) => Value) {
  return Type.Unsafe<Value>(Type.String({ maxLength, description, examples: [example], parse }))
}

/** The same of a parameter that is absent if it is empty. */
export function OptionalParsed<Value>(
  maxLength: number,
  description: string,
  example: string,
  parse: (text: string) => Value,
) {
  const orNone = (text: string) => (text === '' ? undefined : parse(text))
  return Type.Optional({ ...Parsed(maxLength, description, example, parse), parse: orNone })
}

/** Text that is not blank. */
export function NonBlank(maxLength: number, description: string, example?: string) {
  return Type.String({ minLength: 1, maxLength, pattern: VISIBLE.source, description, ...withExample(example) })
}

/** Text that is not blank as one line. */
export function NonBlankLine(maxLength: number, description: string, example?: string) {
  return { ...NonBlank(maxLength, description, example), pattern: VISIBLE_LINE.source, format: 'line' }
}

export function HttpUrl(example?: string) {
  return { ...NonBlank(2000, 'An http(s) URL of at most 2000 bytes', example), format: 'http-url' }
}

/** An email that may be absent; null and blank mean none. */
export function optionalEmail(description: string) {
  return Type.Optional({ ...optionalText(254, description, 'anna@example.com'), format: 'email-or-blank' })
}

/** A path in the shop or an http(s) URL that may be absent; null and blank mean none. */
export function optionalLink(example: string) {
  const text = optionalText(2000, 'A path in the shop or an http(s) URL', example)
  return Type.Optional({ ...text, format: 'link-or-blank' })
}

/** A phone number of a customer. */
export function Phone(description: string) {
  return Type.String({ minLength: 1, maxLength: 50, format: 'phone', description, examples: ['+7 900 123-45-67'] })
}

/** Text that may be absent; null and blank mean none. */
export function optionalText(maxLength: number, description: string, example?: string) {
  return Type.Optional(Nullable(FreeText(maxLength, `${description}; blank or null: none`, example)))
}

/** The same as one line: a line break could forge further lines of a mail. */
export function optionalLine(maxLength: number, description: string, example?: string) {
  return Type.Optional({ ...optionalText(maxLength, description, example), format: 'line' })
}

/** The members of an input as they appear in the record: none is absent. */
export function required<Members extends TProperties>(members: Members) {
  return Type.Required(Type.Object(members)).properties
}

/** The members, each of which may be absent. */
export function partial<Members extends TProperties>(members: Members) {
  return Type.Partial(Type.Object(members)).properties
}

/** Members of every record that staff edit (docs/http.md). */
export const EDITED = {
  version: Count('Incremented by each change; send it as If-Match to avoid lost updates'),
  createdAt: Timestamp('Time of creation'),
  updatedAt: Timestamp('Time of the last change'),
}

/** Adds a schema with an `$id` to the API description. */
export function named<T extends TSchema>(schema: T): T {
  const { $id = '' } = schema
  if ((SCHEMAS.get($id) ?? schema) !== schema) throw new Error(`Two schemas have the name ${$id}`)
  SCHEMAS.set($id, schema)
  return schema
}

/**
 * References a schema by its `$id`, so that the API description defines it once. Options need `allOf`, because siblings
 * of a plain `$ref` are dropped.
 */
export function ref<T extends TSchema>(schema: T, options?: SchemaOptions) {
  const reference = Type.Ref(named(schema).$id ?? '')
  return Type.Unsafe<Static<T>>(options ? { ...options, allOf: [reference] } : reference)
}

/** A list of records of a named schema. */
export function List<T extends TSchema>(item: T, description: string) {
  return Type.Array(ref(item), { description })
}

/** A record with a count for each value of an enum. */
export function CountsBy<const Value extends string>($id: string, description: string, values: readonly Value[]) {
  const members = values.map((value) => [value, Count(`Those that are ${value}`)])
  return Type.Unsafe<Record<Value, number>>(NamedObject($id, description, Object.fromEntries(members)))
}

/** What a route answers to the public, or to staff: two named records, or two lists. */
export function ForCaller<P extends TSchema, S extends TSchema>(forPublic: P, forStaff: S) {
  const shapes = [forPublic, forStaff].map((schema) => (schema.$id === undefined ? schema : ref(schema)))
  const description = `${forPublic.description}; to staff the second form`
  return Type.Unsafe<Static<P> | Static<S>>(Type.Union(shapes, { description, examples: [exampleOf(forStaff)] }))
}

/** An option of a request, off by default. */
export function Flag(description: string) {
  return Type.Boolean({ default: false, description })
}

/** A list's filter by a value of a named enum. */
export function Only<T extends TSchema>(values: T, description: string) {
  return Type.Optional(ref(values, { description: `Only ${description}` }))
}

export const NoContent = Type.Unsafe<undefined>(Type.Null({ description: 'No content' }))
export const Unchanged = Type.Unsafe<undefined>(Type.Null({ description: 'Not modified' }))

/** A 200 with a file instead of JSON. */
export function FileOf<Body>(type: string, description: string, headers?: TProperties) {
  const content = { [type]: { schema: Type.Unsafe<Body>(Text(description)) } }
  return { description, content, ...(headers && { headers }) }
}
