import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoSupplier, startDemoSupplier } from '../../demo/supplier.ts'
import { clientOf, numberedCatalogue } from './client.ts'

let supplier: DemoSupplier

const order = {
  reference: '17',
  customer: { name: 'Анна', phone: '+7 900 000-00-00', email: null },
  delivery: { method: 'courier', address: 'Тверь, Мира 1', cost: 300 },
  comment: 'после шести',
  items: [{ productId: 'p1', quantity: 2, price: 100.5 }],
}

async function send(json: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await clientOf(supplier).post('CreateOrder', { json })
  return { status: answer.statusCode, body: JSON.parse(answer.body) }
}

beforeAll(async () => {
  supplier = await startDemoSupplier({ catalogue: numberedCatalogue(3), token: 'test-token' })
})
afterAll(() => supplier.close())

test('creates one order per reference and takes its stock once', async () => {
  const first = await send(order)
  const again = await send(order)
  expect(first).toEqual({ status: 200, body: { id: expect.stringMatching(/^Z/) } })
  expect(again).toEqual(first)
  expect(supplier.orders).toMatchObject([{ ...order, id: first.body.id }])
  expect(supplier.catalogue.products.get('p1')?.stock).toBe(3)
})

test('creates another order for another reference', async () => {
  const first = await send({ ...order, reference: 'a' })
  const second = await send({ ...order, reference: '18' })
  expect(second.body.id).not.toBe(first.body.id)
  expect(supplier.orders.at(-1)?.reference).toBe('18')
})

test.each([
  ['reference', { ...order, reference: '' }],
  ['customer', { ...order, reference: 'x', customer: null }],
  ["customer must have required property 'phone'", { ...order, reference: 'x', customer: { name: 'Анна' } }],
  ['items', { ...order, reference: 'x', items: [] }],
  ['items/0/quantity', { ...order, reference: 'x', items: [{ productId: 'p1', quantity: 0, price: 1 }] }],
  ['items/0/price', { ...order, reference: 'x', items: [{ productId: 'p1', quantity: 1, price: '1' }] }],
  ['unknown product', { ...order, reference: 'x', items: [{ productId: 'p99', quantity: 1, price: 1 }] }],
])('a wrong body is a 400 that names %s', async (name, body) => {
  const count = supplier.orders.length
  const answer = await send(body)
  expect(answer).toEqual({ status: 400, body: { error: expect.stringContaining(name) } })
  expect(supplier.orders).toHaveLength(count)
})

test('rejects a body that is not JSON with 400', async () => {
  const headers = { 'content-type': 'application/json' }
  const answer = await clientOf(supplier).post('CreateOrder', { body: '{"reference":', headers })
  expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([400, { error: expect.any(String) }])
})
