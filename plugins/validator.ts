import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'

const common = {
  removeAdditional: false,
  useDefaults: true,
  allowUnionTypes: true,
  addUsedSchema: false,
} as const
const bodies = formats.default(new Ajv({ ...common, coerceTypes: false }))
const text = formats.default(new Ajv({ ...common, coerceTypes: true }))

/**
 * Bodies are checked as they are, while query and path, being text, are converted first (contract section 1, "JSON").
 * Unknown properties are left alone: handlers read only what is documented.
 */
export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
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
