import type { TSchema } from '@sinclair/typebox'
import { Ajv, type ErrorObject, type SchemaValidateFunction, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import fp from 'fastify-plugin'
import { faultsOf, MAX_FAULTS } from '../src/errors.ts'
import { isBlankOrEmail, MAX_PASSWORD_BYTES, normalEmail } from '../src/rules/accounts/credentials.ts'
import { isSlug } from '../src/rules/catalogue/slugs.ts'
import { isBlankOrLink } from '../src/rules/content.ts'
import type { Fault } from '../src/rules/faults/sentences.ts'
import { isAmount } from '../src/rules/money.ts'
import { isPhone } from '../src/rules/phone.ts'
import { findUnstorable, readUrl, type Unstorable } from '../src/rules/text.ts'
import { SCHEMAS } from '../src/schemas/common.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Removes parameters that the route doesn't know from a query, and returns their names. */
    removeUnknown?: (query: object) => string[]
  }
}

const TIMESTAMP = /^[\d-]{10}[T ]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/i
const MIN_TIME = Date.parse('0001-01-01T00:00:00Z')
const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z')

/** Of larger input only the first fault is reported: finding all of them could be expensive. */
const MAX_VALUES = 2000

/** Validates input before a handler sees it, and names unknown parameters (docs/http.md). */
export const validationPlugin = fp(
  async (app) => {
    app.setValidatorCompiler(compileValidator)
    app.addHook('onRoute', (route) => {
      if (!route.schema) return
      const removeUnknown = unknownRemover({ properties: {}, ...Object(route.schema.querystring) })
      route.config = { ...route.config, removeUnknown }
    })
    app.addHook('onRequest', (request, reply, done) => {
      const removed = request.routeOptions.config.removeUnknown?.(Object(request.query)) ?? []
      if (removed.length > 0) reply.header('x-unknown-parameters', toHeader(removed))
      done()
    })
  },
  { name: 'validation', dependencies: ['errors'] },
)

type ObjectSchema = { $ref?: string; properties?: Record<string, TSchema>; patternProperties?: object }

/**
 * Returns a function that removes the members that a schema doesn't know, so that no service reads them, and returns their
 * names; it removes none if the schema isn't that of an object with named members.
 */
function unknownRemover(schema: ObjectSchema): (values: object) => string[] {
  const { properties, patternProperties = {} } = SCHEMAS.get(schema.$ref ?? '') ?? schema
  if (properties === undefined) return () => []
  const patterns = Object.keys(patternProperties).map((pattern) => new RegExp(pattern))
  const isKnown = (name: string) => Object.hasOwn(properties, name) || patterns.some((pattern) => pattern.test(name))
  return (values) => {
    const unknown = Array.isArray(values) ? [] : Object.keys(values).filter((name) => !isKnown(name))
    for (const name of unknown) Reflect.deleteProperty(values, name)
    return unknown
  }
}

/** Clients choose the names: the header must stay far below what proxies accept. */
const MAX_UNKNOWN = 10
const MAX_NAME_LENGTH = 50

/** Lists names, percent-encoded: no name can end the header or the list. */
function toHeader(names: string[]): string {
  const shown = names.slice(0, MAX_UNKNOWN).map((name) => name.slice(0, MAX_NAME_LENGTH).toWellFormed())
  return shown.map(encodeURIComponent).join(', ')
}

/** The faults to find in invalid input. */
type Faults = 'first' | 'all'

const instances: { [F in Faults]?: Ajv } = {}

function compile(schema: object, faults: Faults): ValidateFunction {
  instances[faults] ??= createAjv(faults === 'all')
  return instances[faults].compile(schema)
}

function createAjv(allErrors: boolean): Ajv {
  const options = { removeAdditional: false, useDefaults: true, allowUnionTypes: true, addUsedSchema: false }
  const ajv = formats.default(new Ajv({ ...options, allErrors })).addSchema([...SCHEMAS.values()])
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format)
  return ajv
    .addKeyword({ keyword: 'parse', type: ['string', 'array'], modifying: true, errors: true, validate: parseText })
    .addKeyword({ keyword: 'parseMembers', type: 'object', modifying: true, errors: true, validate: parseMembers })
    .addKeyword({
      keyword: 'x-maxBytes',
      type: 'object',
      validate: (max: number, value: object) => Buffer.byteLength(JSON.stringify(value)) <= max,
    })
}

/** Replaces a text, or the values of a repeated parameter, with what a rule makes of it, or removes it if that is nothing. */
const parseText: SchemaValidateFunction = (parse: (text: string) => unknown, given: unknown, _schema, place) => {
  const faults = faultsOf(() => {
    const value = parse([given].flat().join(','))
    if (place === undefined) return
    if (value === undefined) Reflect.deleteProperty(place.parentData, place.parentDataProperty)
    else place.parentData[place.parentDataProperty] = value
  })
  parseText.errors = faults.map(toKeywordError)
  return faults.length === 0
}

/** Adds to an object what a rule makes of its members. */
const parseMembers: SchemaValidateFunction = (parse: (members: object) => object, members: object) => {
  const faults = faultsOf(() => Object.assign(members, parse(members)))
  parseMembers.errors = faults.map(toKeywordError)
  return faults.length === 0
}

/** Ajv looks for these in `errors` of the function. Without a path of their own it adds that of the value. */
function toKeywordError({ path, ...reason }: Fault): Partial<ErrorObject> {
  return { keyword: 'parse', params: { reason }, ...(path !== '' && { instancePath: `/${path}` }) }
}

type FormatDefinition = ((text: string) => boolean) | { type: 'number'; validate(value: number): boolean }

/** The shop's own rules, as formats so that their faults are reported together with the others. */
const FORMATS: { [name: string]: FormatDefinition } = {
  amount: { type: 'number', validate: isAmount },
  'date-time': isTimestamp,
  date: isDay,
  email: (text) => normalEmail(text) !== null,
  'email-or-blank': isBlankOrEmail,
  'http-url': (text) => readUrl(text) !== null,
  'link-or-blank': isBlankOrLink,
  // Any text is: its line breaks become spaces.
  line: () => true,
  password: (text) => Buffer.byteLength(text.normalize()) <= MAX_PASSWORD_BYTES,
  phone: isPhone,
  slug: isSlug,
}

/** A time in the years 1 to 9999 UTC, which JavaScript, PostgreSQL and ISO 8601 all accept; no leap second. */
function isTimestamp(text: string): boolean {
  const time = Date.parse(text)
  return TIMESTAMP.test(text) && isDay(text.slice(0, 10)) && time >= MIN_TIME && time <= MAX_TIME
}

function isDay(text: string): boolean {
  const time = Date.parse(text)
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && time >= MIN_TIME && new Date(time).toISOString().startsWith(text)
}

/**
 * Compiles a validator that converts the types of queries and paths but not of bodies, and removes what the endpoint doesn't
 * document (docs/http.md).
 */
const compileValidator: FastifySchemaCompiler<ObjectSchema> = ({ schema, httpPart }) => {
  // Compiled with the first input: compiling all of them would more than double the time of a start.
  const validators: { [F in Faults]?: ValidateFunction } = {}
  const readTexts = httpPart === 'body' ? () => {} : textReader(schema, httpPart === 'params')
  const removeUnknown = httpPart === 'body' ? unknownRemover(schema) : () => []

  function check(values: unknown): boolean {
    readTexts(Object(values))
    const faults = httpPart === 'body' && countValues(values) > MAX_VALUES ? 'first' : 'all'
    // PostgreSQL would reject such text in a query.
    const unstorable = findUnstorable(values, MAX_FAULTS)
    removeUnknown(Object(values))
    validators[faults] ??= compile(schema, faults)
    validators[faults](values)
    const found = validators[faults].errors ?? []
    check.errors = [...unstorable.map(unstorableFault), ...found.filter((fault) => !isOfAnotherForm(fault, found))]
    return check.errors.length === 0
  }

  check.errors = [] as ErrorObject[]
  return check
}

/**
 * Returns a function that converts numbers and booleans from the text of a query, path or header. An empty number of a query
 * is none, as forms send it. Ajv would also convert `0x10`, `1e1`, `+16` and ` 16`; what isn't converted here fails its validation.
 */
function textReader({ properties = {} }: ObjectSchema, isPath: boolean): (values: object) => void {
  const numbers: { [type: string]: RegExp } = { integer: isPath ? /^\d+$/ : /^-?\d+$/, number: /^-?\d+(\.\d+)?$/ }
  const types = Object.entries(properties).map(([name, { type }]) => ({ name, type }))
  return (values) => {
    for (const { name, type } of types) {
      const text: unknown = Reflect.get(values, name)
      if (typeof text !== 'string') continue
      if (type === 'boolean' && /^(true|false)$/.test(text)) Reflect.set(values, name, text === 'true')
      const number = numbers[type]
      if (number?.test(text)) Reflect.set(values, name, toFinite(text))
      else if (number && text === '' && !isPath) Reflect.deleteProperty(values, name)
    }
  }
}

/** Ajv takes Infinity for no number, instead of one that is too large. */
function toFinite(text: string): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(text)))
}

/**
 * Whether a fault says that a value of a union has the wrong type, while another one says what is wrong with it as a value
 * of the right type.
 */
function isOfAnotherForm({ keyword, instancePath: path }: ErrorObject, all: ErrorObject[]): boolean {
  if (keyword !== 'type') return keyword === 'anyOf' && all.length > 1
  return all.some(({ keyword, instancePath }) =>
    instancePath === path ? !['type', 'anyOf'].includes(keyword) : instancePath.startsWith(`${path}/`),
  )
}

/** Counts nested values, up to MAX_VALUES. */
function countValues(value: unknown): number {
  const open = [value]
  let count = 0
  for (; open.length > 0 && count <= MAX_VALUES; count++) {
    const item = open.pop()
    if (typeof item === 'object' && item !== null) open.push(...Object.values(item).slice(0, MAX_VALUES + 1))
  }
  return count
}

function unstorableFault({ path, reason }: Unstorable): ErrorObject {
  return { instancePath: `/${path.join('/')}`, schemaPath: '', keyword: 'storable', params: { reason } }
}
