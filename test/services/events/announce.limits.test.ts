import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChangeKind } from '../../../src/runtime/changes/kinds.ts'
import { write } from '../../../src/runtime/write.ts'
import { loginAs } from '../../support/accounts.ts'
import { type EventClient, openEvents } from '../../support/events.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let client: EventClient

beforeAll(async () => {
  shop = await startTestShop()
  client = await openEvents(shop.url)
  await client.subscribe(['products', 'orders', 'contacts'], await loginAs(shop, 'MANAGER'))
})
afterAll(() => shop.close())

/** Records a change of rows that don't exist, as if they had been deleted. */
const change = (kind: ChangeKind, count: number) =>
  write(shop.deps, async (tx) =>
    tx.recordChange(
      kind,
      Array.from({ length: count }, (_, index) => index + 1),
    ),
  )

test('names up to 500 products', async () => {
  await change('productHidden', 500)
  expect((await client.next('products.changed')).ids).toHaveLength(500)
  await change('productHidden', 501)
  expect(await client.next('products.changed')).toEqual({ type: 'products.changed', ids: null })
})

test('sends a resync instead of more than 1000 messages', async () => {
  const deleted = () => client.messages.filter(({ type }) => type === 'order.deleted').length
  await change('order', 1000)
  await expect.poll(deleted).toBe(1000)
  await change('order', 1001)
  await client.next('resync')
  expect(deleted()).toBe(1000)
})

test('sends a resync if what changed cannot be read', async () => {
  const { db } = shop.deps
  await sql`alter table contact_requests rename to unreadable`.execute(db)
  await change('contact', 1)
  await client.next('resync')
  await sql`alter table unreadable rename to contact_requests`.execute(db)
  const body = { name: 'Anna', phone: '+79001234567', message: 'Hello' }
  const { id } = (await shop.call('POST', '/api/v1/contacts', { body })).body as { id: number }
  expect(await client.next('contact.created')).toEqual({ type: 'contact.created', id })
})
