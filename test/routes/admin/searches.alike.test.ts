import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { imageForm, newImage } from '../../support/images.ts'
import { placeOrder } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let admin: string
let product: number

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  admin = await loginAs(shop, 'ADMIN')
  product = await createProduct(shop.deps.db, { name: 'Ско\u00ADво\u00ADрода 2,5 л', stock: 1000 })
})
afterAll(() => shop.close())

async function idsOf(path: string, search: string): Promise<number[]> {
  const { text } = await shop.call('GET', `${path}?${new URLSearchParams({ search })}`, { token: admin })
  const { content }: { content: { id: number }[] } = JSON.parse(text)
  return content.map(({ id }) => id)
}

const place = (fields: Record<string, unknown>) => placeOrder(shop, [{ productId: product, quantity: 1 }], { fields })

test('searches orders, contacts and users as people see and type', async () => {
  const name = 'Анна\u00A0Ёл\u00ADкина – Müller'
  const order = await place({ customerName: name, customerPhone: '+7 900 123‑45–67' })
  const { db } = shop.deps
  const contact = await db
    .insertInto('contact_requests')
    .values({ name, phone: '+7 900 123‑45–67', message: 'Нужен\nсок 0,5 л и болт М8 × 40' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const user = await db
    .insertInto('users')
    .values({ name, email: 'alike@example.test', password_hash: '', role: 'USER', phone: '+7 900 123‑45–67' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const lists = { orders: order.id, contacts: contact.id, users: user.id }
  for (const search of [
    'ан\u200Bна елкина',
    'ЁЛКИНА - MULLER',
    'ｍｕｌｌｅｒ',
    '123–45-67',
    '\u202A+7\u00A0900\u00A0123‑45‑67\u202C',
  ]) {
    for (const [list, id] of Object.entries(lists)) {
      expect([list, search, await idsOf(`/api/v1/admin/${list}`, search)]).toEqual([list, search, [id]])
    }
  }
  for (const search of ['нужен сок 0.5 л', 'М8Х40', '8*40']) {
    expect([search, await idsOf('/api/v1/admin/contacts', search)]).toEqual([search, [contact.id]])
  }
})

test('searches images, and tasks by the names of their products', async () => {
  const form = imageForm(await newImage(), 'Ско\u00ADворода 2,5 л – фото1.png')
  const { id } = (await shop.call('POST', '/api/v1/images', { token: admin, form })).body as { id: number }
  for (const search of ['сковорода', 'СКОВОРОДА 2.5 Л', '2.5 л - фото', 'фото1']) {
    expect([search, await idsOf('/api/v1/images', search)]).toEqual([search, [id]])
  }
  const path = `/api/v1/admin/scrape-queue/product/${product}/enqueue`
  const task = (await shop.call('POST', path, { token: admin })).body as { id: number }
  for (const search of ['сковорода', 'СКОВОРОДА 2.5л', 'сково\u200Bрода']) {
    expect([search, await idsOf('/api/v1/admin/scrape-queue', search)]).toEqual([search, [task.id]])
  }
  expect(await idsOf('/api/v1/admin/scrape-queue', 'чайник')).toEqual([])
})

test('takes the number of an order as mails and people write it', async () => {
  const [one, ten] = [await place({}), await place({})]
  await shop.deps.db
    .updateTable('orders')
    .set({ customer_phone: `8900${ten.number}` })
    .where('id', '=', one.id)
    .execute()
  const list = (search: string) => idsOf('/api/v1/admin/orders', search)
  for (const search of [
    `№ ${ten.number}`,
    `№${ten.number}`,
    `#${ten.id}`,
    `# ${ten.id}\u200B`,
    `Заказ № ${ten.number}`,
    `Order ${ten.number}`,
  ]) {
    expect([search, await list(search)]).toEqual([search, [ten.id]])
  }
  expect((await list(ten.number)).toSorted()).toEqual([one.id, ten.id])
  for (const search of ['#0', '№ 999999', '#99999999999']) expect(await list(search)).toEqual([])
})
