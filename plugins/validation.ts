import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import fp from 'fastify-plugin'
import { type ErrorDetail, invalid, MAX_DETAILS, notFound } from '../src/errors.ts'
import { MAX_PASSWORD_BYTES, normalEmail } from '../src/rules/accounts/credentials.ts'
import { findUnstorable, unstorableTexts } from '../src/rules/text.ts'
import { SCHEMAS } from '../src/schemas/index.ts'

const common = {
  removeAdditional: false,
  useDefaults: true,
  allowUnionTypes: true,
  addUsedSchema: false,
} as const
/** Which stop at the first fault, and which name all of them. */
const bodies = ajvPair({ coerceTypes: false })
const text = ajvPair({ coerceTypes: true })

/** Only the first fault is named of input with more values: each could be a fault, and a million of them a burden. */
const MAX_VALUES = 2000

/** What input has to be before a handler sees it (contract section 1, "JSON"). */
export const validationPlugin = fp(
  async (app) => {
    app.setValidatorCompiler(compileValidator)
    acceptEmptyJson(app)

    // Before any handler, so that no text that PostgreSQL refuses gets as far as a query.
    app.addHook('preValidation', async (request) => {
      if (findUnstorable(request.params)) throw notFound('record')
      const found = [...unstorables(request.query, ['querystring']), ...unstorables(request.body, [])]
      if (found.length > 0) throw invalid(...found)
    })
  },
  { name: 'validation', dependencies: ['errors'] },
)

/** Made when they are first needed. */
function ajvPair(options: { coerceTypes: boolean }): { quick(): Ajv; thorough(): Ajv } {
  let quick: Ajv | undefined
  let thorough: Ajv | undefined
  const make = (allErrors: boolean) => {
    const ajv = formats.default(new Ajv({ ...common, ...options, allErrors })).addSchema(SCHEMAS)
    // What the rules for accounts say, so that their faults are named together with the others.
    ajv.addFormat('email', (value) => normalEmail(value) !== null)
    return ajv.addFormat('password', (value) => Buffer.byteLength(value) <= MAX_PASSWORD_BYTES)
  }
  return {
    quick() {
      quick ??= make(false)
      return quick
    },
    thorough() {
      thorough ??= make(true)
      return thorough
    },
  }
}

/**
 * Clients that send `content-type: application/json` with every POST shall be able to call actions without a body. Files
 * that spreadsheets and editors wrote begin with a byte order mark.
 */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    return parse(request, body.toString().replace(/^\uFEFF/, ''), done)
  })
}

function unstorables(value: unknown, parents: string[]): ErrorDetail[] {
  const found: ErrorDetail[] = []
  for (const { path, message } of unstorableTexts(value)) {
    found.push({ path: [...parents, ...path.split('/').slice(1)].join('.') || 'body', message })
    if (found.length >= MAX_DETAILS) break
  }
  return found
}

/**
 * Bodies are checked as they are, while query and path, being text, are converted first (contract section 1, "JSON").
 * Unknown properties are left alone: handlers read only what is documented. Good input is checked once; what is wrong
 * with other input is then looked for in all of it.
 */
const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const { quick, thorough } = httpPart === 'body' ? bodies : text
  // Made when the first input comes, not at the start: of each route, that would take longer than all else.
  let isRight: ValidateFunction | undefined
  let findAll: ValidateFunction | undefined
  const integers = httpPart === 'params' ? integersOf(schema) : []

  function check(values: unknown): boolean {
    const strange = integers.filter((name) => !isDecimal(Reflect.get(Object(values), name)))
    isRight ??= quick().compile(schema)
    const right = isRight(values)
    const found = right ? [] : faultsOf(values, isRight)
    check.errors = [
      ...strange.map(noDecimal),
      ...found.filter(({ instancePath }) => !strange.includes(instancePath.slice(1))),
    ]
    if (httpPart !== 'body') check.errors.push(...infinities(values))
    return check.errors.length === 0
  }

  function faultsOf(values: unknown, first: ValidateFunction): ErrorObject[] {
    if (countValues(values) > MAX_VALUES) return first.errors ?? []
    findAll ??= thorough().compile(schema)
    findAll(values)
    return findAll.errors ?? first.errors ?? []
  }

  check.errors = [] as ErrorObject[]
  return check
}

/** Counts no further than it matters. */
function countValues(value: unknown): number {
  const open = [value]
  let count = 0
  for (; open.length > 0 && count <= MAX_VALUES; count++) {
    const item = open.pop()
    if (typeof item === 'object' && item !== null) open.push(...Object.values(item).slice(0, MAX_VALUES + 1))
  }
  return count
}

/** The parameters of a path that are integers. */
function integersOf(schema: object): string[] {
  const properties: unknown = Reflect.get(schema, 'properties')
  return Object.entries(properties ?? {}).flatMap(([name, { type }]) => (type === 'integer' ? [name] : []))
}

/** Ajv would also convert `0x10`, `1e1`, `+16` and ` 16`. */
function isDecimal(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9]+$/.test(value)
}

function noDecimal(name: string): ErrorObject {
  return fault(name, 'type', 'must be decimal digits')
}

/** `Infinity` and `1e999` are converted to a number that Ajv then measures against no limit. */
function infinities(values: unknown): ErrorObject[] {
  return Object.entries(values ?? {})
    .filter(([, value]) => typeof value === 'number' && !Number.isFinite(value))
    .map(([name]) => fault(name, 'maximum', 'must be a finite number'))
}

function fault(name: string, keyword: string, message: string): ErrorObject {
  return { instancePath: `/${name}`, schemaPath: '', keyword, params: {}, message }
}
