import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import fp from 'fastify-plugin'
import { invalid, notFound } from '../src/errors.ts'
import { findUnstorable } from '../src/rules/text.ts'
import { SCHEMAS } from '../src/schemas/index.ts'

const common = {
  removeAdditional: false,
  useDefaults: true,
  allowUnionTypes: true,
  addUsedSchema: false,
} as const
const bodies = formats.default(new Ajv({ ...common, coerceTypes: false }))
const text = formats.default(new Ajv({ ...common, coerceTypes: true }))
for (const ajv of [bodies, text]) ajv.addSchema(SCHEMAS)

/** What input has to be before a handler sees it (contract section 1, "JSON"). */
export const validationPlugin = fp(
  async (app) => {
    app.setValidatorCompiler(compileValidator)
    acceptEmptyJson(app)

    // Before any handler, so that no text that PostgreSQL refuses gets as far as a query.
    app.addHook('preValidation', async (request) => {
      if (findUnstorable(request.params)) throw notFound('record')
      const found = findUnstorable(request.query) ?? findUnstorable(request.body)
      if (found) throw invalid(found)
    })
  },
  { name: 'validation', dependencies: ['errors'] },
)

/** Clients that send `content-type: application/json` with every POST shall be able to call actions without a body. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    return parse(request, body.toString(), done)
  })
}

/**
 * Bodies are checked as they are, while query and path, being text, are converted first (contract section 1, "JSON").
 * Unknown properties are left alone: handlers read only what is documented.
 */
const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  httpPart === 'body' ? bodies.compile(schema) : refuseInfinity(text.compile(schema))

/** `Infinity` and `1e999` are converted to a number that Ajv then measures against no limit. */
function refuseInfinity(validate: ValidateFunction): (values: unknown) => boolean {
  function check(values: unknown): boolean {
    check.errors = validate(values) ? infinities(values) : (validate.errors ?? [])
    return check.errors.length === 0
  }
  check.errors = [] as ErrorObject[]
  return check
}

function infinities(values: unknown): ErrorObject[] {
  return Object.entries(values ?? {})
    .filter(([, value]) => typeof value === 'number' && !Number.isFinite(value))
    .map(([name]) => ({
      instancePath: `/${name}`,
      schemaPath: '',
      keyword: 'maximum',
      params: {},
      message: 'must be a finite number',
    }))
}
