import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

export type Schema = { [keyword: string]: unknown }
type Media = { schema: Schema; example?: unknown }
type Described = { description: string; content?: { [type: string]: Media }; headers?: object }
export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
  example?: unknown
}
export type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: object[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: { [type: string]: Media } }
  responses: { [status: string]: Described }
}
export type ApiDocument = {
  openapi: string
  tags: { name: string; description: string }[]
  paths: { [path: string]: { [method: string]: Operation } }
  components: { schemas: { [name: string]: Schema } }
}

/** The parts of a response that the description covers. */
type Answer = { status: number; headers: Headers; text: string; body: unknown }

/** Checks requests and responses against the API description, as a generated client would. */
export type Description = {
  document: ApiDocument
  operations: { method: string; path: string; operation: Operation }[]
  /** How a response differs from the description; null if it doesn't, or if no described operation matches. */
  complaint(method: string, path: string, answer: Answer): string | null
  /** Why a value doesn't match a schema of the document; null if it does. */
  faults(schema: Schema, value: unknown): string | null
}

/** @param served the text of `/v3/api-docs` */
export function readDescription(served: string): Description {
  const document: ApiDocument = JSON.parse(served)
  closeObjects(document)
  // The linter validates the schemas themselves, and code that runs a few times needs no optimisation.
  const options = {
    strict: false,
    allErrors: true,
    inlineRefs: false,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  }
  const ajv = formats.default(new Ajv2020(options))
  // Under their names: Ajv would compile a part of a document again for each reference to it.
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    ajv.addSchema(byName(JSON.stringify(schema)), name)
  }
  const validators = new WeakMap<Schema, ValidateFunction>()
  const byText = new Map<string, ValidateFunction>()
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const routes = operations.map(({ method, path, operation }) => ({
    method,
    operation,
    // The router prefers static segments to parameters too.
    parameters: path.split('{').length,
    pattern: new RegExp(`^${path.replace(/\./g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}/?$`),
  }))
  routes.sort((a, b) => a.parameters - b.parameters)

  function validatorOf(schema: Schema): ValidateFunction {
    const known = validators.get(schema)
    if (known) return known
    const text = JSON.stringify(schema)
    const validate = byText.get(text) ?? ajv.compile(byName(text))
    byText.set(text, validate)
    validators.set(schema, validate)
    return validate
  }

  function faults(schema: Schema, value: unknown): string | null {
    const validate = validatorOf(schema)
    if (validate(value)) return null
    return (validate.errors ?? [])
      .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
      .join('; ')
  }

  function complaint(method: string, path: string, answer: Answer): string | null {
    const bare = path.split('?')[0] ?? ''
    const found =
      routes.find((route) => route.method === method && route.pattern.test(bare)) ??
      // Every GET route has a HEAD route.
      routes.find((route) => method === 'HEAD' && route.method === 'GET' && route.pattern.test(bare))
    if (found === undefined) return null
    const problem = problemWith(found.operation, answer, method === 'HEAD')
    return problem && `${method} ${path} (${found.operation.operationId}) answered ${answer.status}: ${problem}`
  }

  function problemWith({ responses }: Operation, answer: Answer, headOnly: boolean): string | null {
    const response = responses[answer.status]
    if (response === undefined) return `not described, only ${Object.keys(responses).join(', ')}: ${answer.text}`
    const isStored = answer.headers.get('cache-control') !== 'no-store'
    for (const name of Object.keys(response.headers ?? {})) {
      if (name === 'X-Unknown-Parameters' || (name === 'ETag' && !isStored)) continue
      if (!answer.headers.has(name)) return `without the header ${name}`
    }
    const [type = ''] = (answer.headers.get('content-type') ?? '').split(';')
    const media = response.content?.[type]
    // Described in the introduction.
    if (type === 'application/problem+json' && answer.status >= 400) return null
    if (headOnly || (answer.text === '' && response.content === undefined)) return null
    if (media === undefined) return `${type || 'no type'} is not described: ${answer.text.slice(0, 200)}`
    if (type !== 'application/json') return null
    return faults(media.schema, answer.body) ?? unnamedCode(response, answer)
  }

  return { document, operations, complaint, faults }
}

/** The code of a 409 must be one of those that its description names. */
function unnamedCode({ description }: Described, { status, body }: Answer): string | null {
  const code = Object(body).code
  if (status !== 409 || description.includes(`\`${code}\``)) return null
  return `code ${code} is not among those described: ${description}`
}

/** Rejects members that a schema doesn't define, unless it allows others explicitly. */
function closeObjects(value: unknown): void {
  if (!isObject(value)) return
  for (const [key, child] of Object.entries(value)) if (!/^(examples?|default)$/.test(key)) closeObjects(child)
  if (value.type === 'object' && value.properties && value.additionalProperties === undefined) {
    value.additionalProperties = false
  }
}

export function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}

/** Makes references to named schemas plain names. */
function byName(schema: string): Schema {
  return JSON.parse(schema.replaceAll('"#/components/schemas/', '"'))
}
