import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import type { ApiDocument } from '../support/api-description.ts'
import { createProduct } from '../support/factories.ts'
import { type ClientProgram, generateClient } from '../support/generated-client.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

/** A storefront's program: omits parameters with defaults, sends a token where the description allows one. */
const PROGRAM = `
const [token = ''] = values
const list: Schemas['ProductPage'] = got(await api.GET('/api/v1/products'))
const [first] = list.content
if (first === undefined) throw new Error('no products')
const { id: productId } = first
const card = got(await api.GET('/api/v1/products/{id}', { params: { path: { id: productId } } }))
const price: number | null = card.finalPrice
const line: Schemas['OrderLine'] = { productId, quantity: 2 }
const cart = got(await api.POST('/api/v1/cart/validate', { body: [line] }))
const placed = got(
  await api.POST('/api/v1/orders', {
    ...as(token, 'POST /api/v1/orders'),
    body: { items: [line], customerName: 'Анна', customerPhone: '+7 900 123-45-67' },
  }),
)
const status: Schemas['OrderStatus'] = placed.status
const mine = got(
  await api.GET('/api/v1/orders/my', { ...as(token, 'GET /api/v1/orders/my'), params: { query: { size: 5 } } }),
)
const filter: Schemas['BulkFilter'] = { categoryId: 5, inStock: true, brandId: [5, 12] }
const edit: Schemas['BulkEdit'] = { filter, set: { sitePricePercent: 90 } }
const { error } = await api.GET('/api/v1/products/{id}', { params: { path: { id: 999_999 } } })
const code: Schemas['ErrorCode'] | undefined = error && 'code' in error ? error.code : undefined
console.log(JSON.stringify({ price, valid: cart.valid, status, mine: mine.content.map(({ id }) => id), code, edit }))
`

let shop: TestShop
let document: ApiDocument
const programs: ClientProgram[] = []

beforeAll(async () => {
  shop = await startTestShop()
  document = JSON.parse((await shop.call('GET', '/v3/api-docs')).text)
})
afterAll(async () => {
  await shop.close()
  for (const program of programs) await program.remove()
})

async function generate(described: ApiDocument): Promise<ClientProgram> {
  const program = await generateClient(described, PROGRAM)
  programs.push(program)
  return program
}

test('a generated client can list, view, order and see its orders', async () => {
  await createProduct(shop.deps.db, { price: '744.00' })
  const program = await generate(document)
  expect(await program.compile()).toBe('')
  const token = await loginAs(shop, 'USER')
  expect(JSON.parse(await program.run(shop.url, token))).toEqual({
    price: 744,
    valid: true,
    status: 'NEW',
    mine: [expect.any(Number)],
    code: 'NOT_FOUND',
    edit: { filter: { categoryId: 5, inStock: true, brandId: [5, 12] }, set: { sitePricePercent: 90 } },
  })
})

test('the program does not compile if a parameter with a default is required or an order takes no token', async () => {
  const worse = structuredClone(document)
  const page = worse.paths['/api/v1/products']?.get?.parameters?.find(({ name }) => name === 'page')
  expect(page?.required).toBe(false)
  Object.assign(page ?? {}, { required: true })
  Object.assign(worse.paths['/api/v1/orders']?.post ?? {}, { security: [] })
  const compiled = await (await generate(worse)).compile()
  expect(compiled).toMatch(/error TS2554|error TS2345/)
  expect(compiled).toContain('\'"POST /api/v1/orders"\' is not assignable')
})
