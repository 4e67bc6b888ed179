import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import fp from 'fastify-plugin'
import { MAX_DETAILS } from '../src/errors.ts'
import { MAX_PASSWORD_BYTES, normalEmail } from '../src/rules/accounts/credentials.ts'
import { isBlankOrLink } from '../src/rules/content.ts'
import { isBlankOrEmail } from '../src/rules/orders/customer.ts'
import { isPhone } from '../src/rules/phone.ts'
import { isHttpUrl } from '../src/rules/pipeline/image-urls.ts'
import { findUnstorable } from '../src/rules/text.ts'
import { SCHEMAS } from '../src/schemas/common.ts'

const TIMESTAMP = /^[\d-]{10}[T ]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/i
const MIN_TIME = Date.parse('0001-01-01T00:00:00Z')
const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z')

const common = {
  removeAdditional: false,
  useDefaults: true,
  allowUnionTypes: true,
  addUsedSchema: false,
} as const

/** Of larger input only the first fault is reported: finding all of them could be expensive. */
const MAX_VALUES = 2000

/** Validates input before a handler sees it (contract section 1, "JSON"). */
export const validationPlugin = fp(
  async (app) => {
    app.setValidatorCompiler(compileValidator)
  },
  { name: 'validation', dependencies: ['errors'] },
)

const instances = new Map<string, Ajv>()

/** Creates an Ajv with these options on first use. */
function ajvFor(options: { coerceTypes: boolean; allErrors: boolean }): Ajv {
  const key = JSON.stringify(options)
  const found = instances.get(key)
  if (found !== undefined) return found
  const ajv = formats.default(new Ajv({ ...common, ...options })).addSchema([...SCHEMAS.values()])
  // The shop's own rules, as formats so that their faults are reported together with the others.
  ajv.addFormat('date-time', isTimestamp)
  ajv.addFormat('date', isDay)
  ajv.addFormat('email', (value) => normalEmail(value) !== null)
  ajv.addFormat('phone', isPhone)
  ajv.addFormat('http-url', isHttpUrl)
  ajv.addFormat('link-or-blank', isBlankOrLink)
  ajv.addFormat('email-or-blank', isBlankOrEmail)
  ajv.addFormat('password', (value) => Buffer.byteLength(value) <= MAX_PASSWORD_BYTES)
  instances.set(key, ajv)
  return ajv
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
 * Compiles a validator that converts the types of queries and paths but not of bodies (contract section 1, "JSON"), and
 * keeps unknown properties. Invalid input is validated a second time to find all its faults.
 */
const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  // Paths and queries are text.
  const coerceTypes = httpPart !== 'body'
  // Compiled with the first input: compiling all of them would more than double the time of a start.
  let isValid: ValidateFunction | undefined
  let findAll: ValidateFunction | undefined
  const numbers = coerceTypes ? numberFormats(schema, httpPart === 'params' ? '' : '-?') : []

  function check(values: unknown): boolean {
    // Before Ajv converts them.
    const malformed = numbers.flatMap(({ name, pattern, message }) => {
      const text: unknown = Reflect.get(Object(values), name)
      if (typeof text !== 'string') return []
      if (!pattern.test(text)) return [createFault(name, 'type', message)]
      // Infinity would pass every maximum.
      return Number.isFinite(Number(text)) ? [] : [createFault(name, 'maximum', 'must be a finite number')]
    })
    isValid ??= ajvFor({ coerceTypes, allErrors: false }).compile(schema)
    const found = isValid(values) ? [] : findFaults(values, isValid)
    // PostgreSQL would reject such text in a query.
    const unstorable = findUnstorable(values, MAX_DETAILS)
    check.errors = [
      ...unstorable.map(({ path, message }) => createFault(path.join('/'), 'storable', message)),
      ...malformed,
      ...found.filter(
        (fault) =>
          !malformed.some(({ instancePath }) => fault.instancePath === instancePath) &&
          !isOfAnotherForm(fault, found),
      ),
    ]
    return check.errors.length === 0
  }

  function findFaults(values: unknown, first: ValidateFunction): ErrorObject[] {
    if (countValues(values) > MAX_VALUES) return first.errors ?? []
    findAll ??= ajvFor({ coerceTypes, allErrors: true }).compile(schema)
    findAll(values)
    return findAll.errors ?? first.errors ?? []
  }

  check.errors = [] as ErrorObject[]
  return check
}

/** Whether a fault belongs to a form of a union that the value isn't: those of the form that it is are listed too. */
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

/** How each number must be written: Ajv would also convert `0x10`, `1e1`, `+16` and ` 16`. */
function numberFormats(schema: object, sign: string): { name: string; pattern: RegExp; message: string }[] {
  const properties: object = Reflect.get(schema, 'properties') ?? {}
  return Object.entries(properties).flatMap(([name, { type }]) => {
    if (type !== 'integer' && type !== 'number') return []
    const fraction = type === 'integer' ? '' : String.raw`(\.[0-9]+)?`
    const message = type === 'integer' ? 'must be integer' : 'must be number'
    return [{ name, pattern: new RegExp(`^${sign}[0-9]+${fraction}$`), message }]
  })
}

function createFault(name: string, keyword: string, message: string): ErrorObject {
  return { instancePath: `/${name}`, schemaPath: '', keyword, params: {}, message }
}
