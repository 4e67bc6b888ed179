import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Description, isObject, type Parameter, type Schema } from '../support/api-description.ts'
import { descriptionOf, startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let description: Description

beforeAll(async () => {
  shop = await startTestShop()
  description = await descriptionOf(shop.app)
})
afterAll(() => shop.close())

test('can be compiled by a validator that refuses unknown formats and keywords', () => {
  const ajv = formats.default(
    new Ajv2020({ strict: true, strictTypes: false, validateSchema: false, inlineRefs: false }),
  )
  for (const keyword of ['components', 'example']) ajv.addKeyword(keyword)
  const { schemas } = description.document.components
  ajv.addSchema({ components: { schemas } }, 'document')
  for (const name of Object.keys(schemas)) ajv.compile({ $ref: `document#/components/schemas/${name}` })
})

type Place = { at: string; schema: Schema; example?: unknown }

/** A schema and its nested schemas, without references. */
function within(at: string, schema: unknown): Place[] {
  if (!isObject(schema)) return []
  const { properties, items, additionalProperties, anyOf = [], allOf = [] } = schema
  const members = Object.entries(isObject(properties) ? properties : {})
  return [
    { at, schema },
    ...members.flatMap(([name, member]) => within(`${at}.${name}`, member)),
    ...[items, additionalProperties, anyOf, allOf].flat().flatMap((inner) => within(`${at}[]`, inner)),
  ]
}

function components(): Place[] {
  return Object.entries(description.document.components.schemas).map(([at, schema]) => ({ at, schema }))
}

test('the descriptions of products and brands are HTML, all other texts plain', () => {
  const all = components().flatMap(({ at, schema }) => within(at, schema))
  const html = all.filter(({ schema }) => schema.contentMediaType === 'text/html').map(({ at }) => at)
  const products = ['Product', 'ProductCard', 'StaffProduct', 'StaffProductCard']
  const inputs = ['NewProduct', 'ProductReplacement', 'ProductPatch', 'BrandInput']
  const named = [...products, ...inputs, 'Brand', 'StaffBrand', 'SupplierValues'].map((name) => `${name}.description`)
  expect(html.toSorted()).toEqual(named.toSorted())
})

/** JSON bodies and responses, with their examples. */
function media(): Place[] {
  return description.operations.flatMap(({ operation }) => {
    const { operationId, requestBody, responses } = operation
    const asked = requestBody === undefined ? [] : [{ at: `body of ${operationId}`, it: requestBody }]
    const answers = Object.entries(responses).map(([status, it]) => ({
      at: `${status} of ${operationId}`,
      it,
    }))
    return [...asked, ...answers].flatMap(({ at, it }) => {
      const found = it.content?.['application/json']
      return found === undefined ? [] : [{ at, ...found }]
    })
  })
}

function parameters() {
  return description.operations.flatMap(({ operation }) =>
    (operation.parameters ?? []).map((parameter) => ({
      ...parameter,
      at: `${parameter.name} of ${operation.operationId}`,
    })),
  )
}

/** Resolves a plain reference. */
function target(schema: Schema): Schema {
  const name = String(schema.$ref ?? '').replace('#/components/schemas/', '')
  return description.document.components.schemas[name] ?? schema
}

/** Examples of a schema. */
function examplesOf(schema: Schema): unknown[] {
  const { examples, items, type } = target(schema)
  if (Array.isArray(examples)) return examples
  return type === 'array' && isObject(items) ? [examplesOf(items)] : []
}

test('every operation has an id, a description, one tag and described responses', () => {
  const { document, operations } = description
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length).toBeGreaterThan(60)
  const tags = new Set<string>()
  for (const { operation } of operations) {
    expect(operation.description.length, operation.operationId).toBeGreaterThan(20)
    expect(operation.tags, operation.operationId).toHaveLength(1)
    for (const tag of operation.tags) tags.add(tag)
    for (const response of Object.values(operation.responses)) {
      expect(response.description, operation.operationId).not.toBe('Default Response')
    }
  }
  // Every tag is described and used.
  expect(document.tags.map(({ name }) => name).toSorted()).toEqual([...tags].toSorted())
  expect(document.tags[0]?.name).toBe('products')
})

test('a HEAD is described where a route answers it itself', () => {
  const { paths } = description.document
  expect(Object.keys(paths).filter((path) => 'head' in (paths[path] ?? {}))).toEqual([
    '/api/v1/images/{id}',
    '/api/v1/yml-catalog',
    '/api/v1/yml-catalog.xml',
    '/api/v1/google-merchant.xml',
    '/sitemap.xml',
  ])
})

test('every parameter and every property is described', () => {
  const silent = [
    ...parameters().filter((parameter) => !parameter.description),
    ...components()
      .flatMap(({ at, schema }) => within(at, schema))
      // What is in a list or is one of several is described with it.
      .filter(({ at, schema }) => !at.endsWith('[]') && !target(schema).description),
  ]
  expect(silent.map(({ at }) => at)).toEqual([])
})

test('every parameter that needs one, body and response has an example, optional parameters in their descriptions', () => {
  // Swagger UI would send the example of a filter, and the list would find nothing.
  const isOptional = ({ in: where, required }: Parameter) => where !== 'path' && !required
  const isObvious = ({ schema }: Parameter) => 'default' in schema || 'allOf' in schema || schema.type === 'boolean'
  const without = [
    ...parameters().filter(({ example, description, ...one }) =>
      isOptional({ ...one, description })
        ? example !== undefined ||
          one.schema.examples !== undefined ||
          !(isObvious(one) || description?.includes('. Example: `'))
        : example === undefined,
    ),
    ...media().filter(({ schema, example }) => example === undefined && examplesOf(schema).length === 0),
  ]
  expect(without.map(({ at }) => at)).toEqual([])
})

test('every example matches its schema', () => {
  const checked = [
    ...parameters()
      .filter(({ example }) => example !== undefined)
      .map(({ at, schema, example }) => ({ at, schema, example })),
    ...media().flatMap(({ at, schema, example }) =>
      (example === undefined ? examplesOf(schema) : [example]).map((one) => ({ at, schema, example: one })),
    ),
    ...components()
      .flatMap(({ at, schema }) => within(at, schema))
      .flatMap(({ at, schema }) => examplesOf(schema).map((example) => ({ at, schema, example }))),
  ]
  expect(checked.length).toBeGreaterThan(300)
  const wrong = checked.map(({ at, schema, example }) => [at, description.faults(schema, example)])
  expect(wrong.filter(([, faults]) => faults !== null)).toEqual([])
})

test('properties with a default are optional, and responses have no defaults', () => {
  const required = parameters().filter((parameter) => parameter.required && 'default' in parameter.schema)
  expect(required.map(({ at }) => at)).toEqual([])
  expect(parameters().filter(({ schema }) => 'default' in schema).length).toBeGreaterThan(10)
  const places = [...components(), ...media()].flatMap(({ at, schema }) => within(at, schema))
  expect(places.filter(({ schema }) => 'default' in schema).map(({ at }) => at)).toEqual([])
})

const TOKEN_IS_OPTIONAL = [
  'callMcp',
  'getBrand',
  'getBrandBySlug',
  'getCategoryBySlug',
  'getCategoryBySlugWithoutPrefix',
  'getCategoryTree',
  'getProduct',
  'getProductBySlug',
  'getProductBySlugWithoutPrefix',
  'getProductFacets',
  'getPublicSetting',
  'getTagBySlug',
  'getTagPage',
  'listActiveBannerBlocks',
  'listActiveFeatureItems',
  'listActiveReviews',
  'listBrands',
  'listCategories',
  'listHomepageCategories',
  'listProductAttributes',
  'listProducts',
  'listPublicSettings',
  'placeOrder',
  'suggestProducts',
]

test("the security requirement matches the route's access", () => {
  const { operations } = description
  const withToken = (security: object[]) =>
    operations
      .filter(({ operation }) => JSON.stringify(operation.security) === JSON.stringify(security))
      .map(({ operation }) => operation.operationId.replace(/-head$/, ''))
  expect(withToken([{}, { bearer: [] }]).toSorted()).toEqual(TOKEN_IS_OPTIONAL)
  const declared = (access: (one: string | undefined) => boolean) =>
    shop.app.declaredRoutes
      .filter(({ config, schema }) => access(config?.access) && !config?.optionalToken && !schema?.hide)
      .flatMap(({ schema }) => schema?.operationId ?? [])
  expect(new Set(withToken([]))).toEqual(new Set(declared((access) => access === 'public')))
  expect(new Set(withToken([{ bearer: [] }]))).toEqual(new Set(declared((access) => access !== 'public')))
  for (const { operation } of operations) {
    const asks = JSON.stringify(operation.security) === JSON.stringify([{ bearer: [] }])
    if (asks) expect(Object.keys(operation.responses), operation.operationId).toContain('401')
  }
})

test('an operation describes the 412 exactly if it takes a version', () => {
  const versioned = description.operations.filter(({ operation }) =>
    operation.parameters?.some(({ name }) => name === 'If-Match'),
  )
  const refusing = description.operations.filter(({ operation }) => '412' in operation.responses)
  expect(versioned.length).toBeGreaterThan(20)
  expect(refusing).toEqual(versioned)
})

/** Edits of what has no version: one's own account, one value, a file, or many records at once. */
const UNVERSIONED = [
  'changePassword',
  'mapFeedCategory',
  'replaceImage',
  'updateJob',
  'updateProducts',
  'updateProfile',
  'updateSettings',
]

test('every other edit of a record takes its version', () => {
  const unversioned = description.operations.filter(
    ({ method, operation }) => ['PUT', 'PATCH'].includes(method.toUpperCase()) && !('412' in operation.responses),
  )
  expect(unversioned.map(({ operation }) => operation.operationId).toSorted()).toEqual(UNVERSIONED)
})

test('pages, enums and bodies are named schemas', () => {
  const names = new Set(components().map(({ at }) => at))
  for (const name of ['ProductPage', 'OrderPage', 'UserPage', 'OrderStatus', 'Role', 'ErrorCode', 'NewOrder']) {
    expect(names).toContain(name)
  }
  const places = [...components(), ...media()].flatMap(({ at, schema }) => within(at, schema))
  const nameless = places.filter(
    ({ at, schema }) => Array.isArray(schema.enum) && schema.enum.length > 1 && !names.has(at),
  )
  expect(nameless.map(({ at }) => at)).toEqual([])
  const bodies = media().filter(({ at, schema }) => at.startsWith('body') && schema.$ref === undefined)
  expect(bodies.map(({ at }) => at)).toEqual([])
})

test('describes what a client sends and receives beside bodies that are required and fixed', () => {
  const { document, operations } = description
  const operation = (id: string) => operations.find((one) => one.operation.operationId === id)?.operation
  expect(operation('enqueueProduct')?.requestBody).toMatchObject({ required: false })
  expect(operation('importImages')?.requestBody).toMatchObject({ required: true })
  for (const id of ['listProducts', 'getProductFacets', 'exportProducts']) {
    const attributes = operation(id)?.parameters?.find(({ name }) => name === 'attributes')
    expect(attributes).toMatchObject({
      in: 'query',
      required: false,
      schema: { additionalProperties: { type: 'string' } },
    })
  }
  const { BulkFilter, ImageUpload } = document.components.schemas
  expect(BulkFilter).toMatchObject({ patternProperties: { '^attr\\.': {} }, additionalProperties: false })
  expect(ImageUpload).toMatchObject({ properties: { file: { type: 'string', format: 'binary' } } })
  for (const { operation } of operations) {
    const { responses, operationId } = operation
    for (const [status, { headers = {} }] of Object.entries(responses)) {
      const isMissed = status.startsWith('2') && !('X-Unknown-Parameters' in headers)
      const lacksTag = status === '200' && '304' in responses && !('ETag' in headers)
      expect([operationId, status, isMissed, lacksTag]).toEqual([operationId, status, false, false])
    }
  }
})
