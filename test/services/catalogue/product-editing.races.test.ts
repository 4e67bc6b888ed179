import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import type { ProductCard } from '../../../src/schemas/products.ts'
import { loginAs } from '../../support/accounts.ts'
import { createCategory, createImage, createProduct } from '../../support/factories.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { availableOf, sendOrder } from '../../support/orders.ts'
import { type ScriptedShop, startScriptedShop, wireDate, wireProduct } from '../../support/scripted-supplier.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let world: ScriptedShop
let shop: TestShop
let other: TestShop
let admin: string

beforeAll(async () => {
  world = await startScriptedShop({ RATE_LIMIT_ORDERS: '0' })
  shop = world.shop
  other = await startTestShop({ RATE_LIMIT_ORDERS: '0' }, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
})
beforeEach(() => world.startOver())
afterAll(async () => {
  await other.close()
  await world.close()
})

const PRODUCTS = '/api/v1/products'
const send = (method: string, path: string, body?: unknown, { on = shop, ifMatch = '*' } = {}) =>
  on.call(method, PRODUCTS + path, {
    token: admin,
    headers: { 'if-match': ifMatch },
    ...(body === undefined ? {} : { body }),
  })

test('lets one of several editors with the same version win, on two instances', async () => {
  const id = await createProduct(shop.deps.db)
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, n) =>
      send('PATCH', `/${id}`, { sitePrice: n + 1 }, { on: n % 2 ? other : shop, ifMatch: '"1"' }),
    ),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(3).fill(412)])
  const winner = answers.find(({ status }) => status === 200)?.body
  expect((await send('GET', `/${id}`)).body).toEqual(winner)
  for (const { status, body } of answers) {
    if (status === 412) expect(body).toMatchObject({ current: { version: 2 } })
  }
})

test('keeps all concurrent edits of different parts', async () => {
  const id = await createProduct(shop.deps.db, { externalId: null })
  const done = await Promise.all([
    send('PATCH', `/${id}`, { sitePrice: 5 }),
    send('PATCH', `/${id}`, { description: 'x' }, { on: other }),
    send('PUT', `/${id}/attributes`, [{ name: 'a', value: 'b' }]),
    send('PUT', `/${id}/slug`, { slug: 'races' }, { on: other }),
    send('PATCH', '', { ids: [id], set: { active: false } }),
  ])
  expect(done.map(({ status }) => status)).toEqual(Array(5).fill(200))
  expect((await send('GET', `/${id}`)).body).toMatchObject({
    sitePrice: 5,
    description: 'x',
    slug: 'races',
    active: false,
    version: 6,
    attributes: [{ name: 'a' }],
  })
})

test('links an image that scraping links at the same time', async () => {
  const { db } = shop.deps
  const [id, image] = [await createProduct(db), await createImage(db)]
  const link = (trx: Trx) =>
    trx.insertInto('product_images').values({ product_id: id, image_id: image, display_order: 7 }).execute()
  const pending = await whileLocked(other.deps.db, link, async () => {
    const answer = send('PUT', `/${id}/images`, { imageIds: [image] })
    await untilWaiting(db)
    return [answer]
  })
  expect(await pending[0]).toMatchObject({ status: 200, body: { images: [{ id: image, displayOrder: 0 }] } })
})

test('gives a slug to one of two concurrent requests', async () => {
  const ids = [await createProduct(shop.deps.db), await createProduct(shop.deps.db)]
  const answers = await whileLocked(shop.deps.db, 'productSlugs', async () => {
    const both = ids.map((id, n) => send('PUT', `/${id}/slug`, { slug: 'wanted' }, { on: n ? other : shop }))
    await untilWaiting(shop.deps.db, 2)
    return () => Promise.all(both)
  })
  expect((await answers()).map(({ status }) => status).toSorted()).toEqual([200, 409])
})

test('restores a deleted product once for two concurrent requests', async () => {
  const answers = await Promise.all(
    Array.from({ length: 3 }, (_, n) =>
      send('POST', '', { externalId: 'twice', name: `Имя ${n}` }, { on: n % 2 ? other : shop }),
    ),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(2).fill(409)])
})

test.each([
  ['PATCH', { name: 'Renamed' }],
  ['PATCH', { categoryId: null }],
  ['PATCH', { clearOverrides: ['name'] }],
  ['PUT', { name: 'Renamed', price: 1, stock: 1, active: true }],
  ['DELETE', undefined],
])('waits with %s %j for whoever writes many products', async (method, body) => {
  const { db } = shop.deps
  const id = await createProduct(db, { externalId: null, categoryId: await createCategory(db) })
  const sent = await whileLocked(db, 'productRows', async () => {
    const sending = send(method, `/${id}`, body)
    await untilWaiting(db)
    return { sending }
  })
  expect((await sent.sending).status).toBeLessThan(300)
})

/** Locks a product's row. */
const rowLock = (id: number) => (trx: Trx) => sql`select from products where id = ${id} for no key update`.execute(trx)

test('keeps an edit made while the sync waits for the row, beside what the supplier says', async () => {
  const { db } = shop.deps
  world.supplier.lists.ListProducts = [wireProduct('p1')]
  await world.sync()
  const { id } = await db.selectFrom('products').select('id').executeTakeFirstOrThrow()
  const change = { description: 'New words', price: 7, updatedAt: wireDate(new Date()) }
  world.supplier.lists.ListProducts = [wireProduct('p1', change)]
  const syncing = await whileLocked(db, rowLock(id), async () => {
    // The editor queues for the row first; the sync read it before the editor's change.
    const editing = send('PATCH', `/${id}`, { description: 'Своё' })
    await untilWaiting(db, 1)
    const running = world.sync()
    await untilWaiting(db, 2)
    return { editing, running }
  })
  expect((await syncing.editing).status).toBe(200)
  expect(await syncing.running).toMatchObject({ status: 'SUCCEEDED' })
  expect((await send('GET', `/${id}`)).body).toMatchObject({
    description: 'Своё',
    price: 7,
    overrides: ['description'],
    supplier: { description: 'New words' },
    version: 2,
  })
})

test.each(['clear', 'sync'])('loses neither a clear nor the page of a sync: %s first', async (first) => {
  const { db } = shop.deps
  world.supplier.lists.ListProducts = [wireProduct('p1')]
  await world.sync()
  const { id } = await db.selectFrom('products').select('id').executeTakeFirstOrThrow()
  await send('PATCH', `/${id}`, { name: 'Своё', description: 'Своё' })
  const change = { name: 'Renamed', description: 'New words', updatedAt: wireDate(new Date()) }
  world.supplier.lists.ListProducts = [wireProduct('p1', change)]
  const works = [() => send('PATCH', `/${id}`, { clearOverrides: ['name', 'description'] }), () => world.sync()]
  const both = await whileLocked(db, rowLock(id), async () => {
    const begun = []
    for (const work of first === 'clear' ? works : works.toReversed()) {
      begun.push(work())
      await untilWaiting(db, begun.length)
    }
    return { all: Promise.all<unknown>(begun) }
  })
  await both.all
  const { name, description } = change
  expect((await send('GET', `/${id}`)).body).toMatchObject({ name, description, overrides: [], supplier: {} })
})

test('deletes a product while the sync writes its page, and the run succeeds', async () => {
  const { db } = shop.deps
  world.supplier.lists.ListProducts = [wireProduct('p1'), wireProduct('p2')]
  await world.sync()
  const { id } = await db.selectFrom('products').select('id').where('external_id', '=', 'p1').executeTakeFirstOrThrow()
  const updatedAt = wireDate(new Date())
  const attributes = [{ name: 'a', value: 'b' }]
  world.supplier.lists.ListProducts = ['p1', 'p2'].map((one) => wireProduct(one, { price: 7, attributes, updatedAt }))
  const both = await whileLocked(db, rowLock(id), async () => {
    const deleting = send('DELETE', `/${id}`)
    await untilWaiting(db, 1)
    const running = world.sync()
    await untilWaiting(db, 2)
    return { deleting, running }
  })
  expect((await both.deleting).status).toBe(204)
  expect(await both.running).toMatchObject({ status: 'SUCCEEDED' })
  expect(await world.active()).toEqual(['p2'])
})

test('never deadlocks syncs, edits, bulk edits, orders and deletions', async () => {
  const { db } = shop.deps
  const external = Array.from({ length: 15 }, (_, n) => `x${n}`)
  const list = (price: number) =>
    external.map((id) =>
      wireProduct(id, {
        price,
        stock: 1000,
        attributes: [{ name: 'p', value: String(price) }],
        updatedAt: wireDate(new Date()),
      }),
    )
  world.supplier.lists.ListProducts = list(10)
  await world.sync()
  const ids = (await db.selectFrom('products').select('id').orderBy('id').execute()).map(({ id }) => id)
  const backwards = ids.toReversed()
  let syncing = true
  const statuses = new Map<string, number>()
  const note = (what: string, { status }: { status: number }) =>
    void statuses.set(`${what} ${status}`, (statuses.get(`${what} ${status}`) ?? 0) + 1)
  async function repeat(work: (n: number) => Promise<void>): Promise<void> {
    for (let n = 0; syncing; n++) await work(n)
  }
  const pick = (n: number) => ids[(n * 7) % 10] ?? 0
  await Promise.all([
    repeat(async (n) => note('bulk', await send('PATCH', '', { ids: backwards.slice(5), set: { sitePrice: n + 1 } }))),
    repeat(async (n) => note('patch', await send('PATCH', `/${pick(n)}`, { name: `Имя ${n}` }, { on: other }))),
    repeat(async (n) => note('slug', await send('PUT', `/${pick(n)}/slug`, { slug: `s${n}` }))),
    repeat(async (n) => {
      const items = [pick(n), pick(n + 1), ids[10 + (n % 5)] ?? 0].map((productId) => ({
        productId,
        quantity: 1,
      }))
      note('order', await sendOrder(other, items))
    }),
    repeat(async (n) => {
      const path = '/api/v1/categories'
      const made = await shop.call('POST', path, { token: admin, body: { name: `Раздел ${n}` } })
      const { id: categoryId } = made.body as { id: number }
      note('bulk', await send('PATCH', '', { ids: backwards.slice(6, 12), set: { categoryId } }, { on: other }))
      note('category', await shop.call('DELETE', `${path}/${categoryId}`, { token: admin }))
    }),
    (async () => {
      for (const [n, id] of ids.slice(10).entries()) {
        if (n % 3 === 0) {
          world.supplier.lists.ListProducts = list(20 + n)
          expect(await world.sync()).toMatchObject({ status: 'SUCCEEDED', error: null })
        }
        note('delete', await send('DELETE', `/${id}`))
      }
      syncing = false
    })(),
  ])
  const allowed = /^(bulk 200|patch 200|slug 200|slug 409|order 201|order 409|delete 204|category 204)$/
  expect([...statuses.keys()].filter((one) => !allowed.test(one))).toEqual([])
  expect(statuses.get('delete 204')).toBe(5)
  expect((await world.sync({ full: true })).warnings).toEqual([])
  expect(await world.active()).toEqual(external.slice(0, 10).toSorted())
  // Orders hold exactly what they ordered of the remaining products.
  const { rows } = await sql<{ product_id: number; held: number }>`
    select product_id, sum(quantity)::int as held from order_items
    where holding and product_id is not null group by product_id order by product_id limit 1`.execute(db)
  const [first] = rows
  if (first) expect(await availableOf(shop, first.product_id)).toBe(1000 - first.held)
})

test('places an order before the deletion of its product, or refuses it after', async () => {
  for (let round = 0; round < 2; round++) {
    const id = await createProduct(shop.deps.db, { externalId: null, stock: 5 })
    const [ordered, deleted] = await Promise.all([
      sendOrder(round % 2 ? other : shop, [{ productId: id, quantity: 1 }]),
      send('DELETE', `/${id}`),
    ])
    expect([deleted.status, [201, 409].includes(ordered.status)]).toEqual([204, true])
    if (ordered.status === 409) expect(ordered.body).toMatchObject({ code: 'PRODUCT_UNAVAILABLE' })
    const lines = await shop.deps.db.selectFrom('order_items').select('id').where('product_id', '=', id).execute()
    expect(lines).toEqual([])
  }
})

test('reads its own edits on the same instance', async () => {
  const id = await createProduct(shop.deps.db)
  for (let n = 1; n <= 3; n++) {
    const reading = shop.call('GET', `${PRODUCTS}/${id}`)
    await send('PATCH', `/${id}`, { sitePrice: n })
    await reading
    expect(((await shop.call('GET', `${PRODUCTS}/${id}`)).body as ProductCard).finalPrice).toBe(n)
  }
})
