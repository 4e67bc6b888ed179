import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import { lockWork } from '../../../db/locks.ts'
import { lockAttributeRules } from '../../../db/queries/pipeline/attribute-rules.ts'
import type { AttributeRule } from '../../../src/schemas/attribute-rules.ts'
import type { Facets } from '../../../src/schemas/product-search.ts'
import type { ProductCard } from '../../../src/schemas/products.ts'
import { loginAs } from '../../support/accounts.ts'
import { type FeedServer, feedXml, startFeedServer } from '../../support/feed-server.ts'
import { untilWaiting } from '../../support/locks.ts'
import { type ScriptedShop, startScriptedShop, wireDate, wireProduct } from '../../support/scripted-supplier.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let feed: FeedServer
let world: ScriptedShop
let shop: TestShop
let other: TestShop
let admin: string

beforeAll(async () => {
  feed = await startFeedServer()
  world = await startScriptedShop({ XML_FEED_URL: feed.url })
  shop = world.shop
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
})
beforeEach(async () => {
  await shop.deps.db.deleteFrom('attribute_rules').execute()
  await world.startOver()
})
afterAll(async () => {
  await shop.deps.tasks.stop()
  await other.close()
  await world.close()
  await feed.close()
})

const RULES = '/api/v1/admin/attribute-rules'
const send = (method: string, path: string, body?: object) =>
  shop.call(method, path, { token: admin, ...(body && { body }) })
const addRule = async (rule: object) => {
  const { status, body } = await send('POST', RULES, rule)
  expect(status).toBe(201)
  return body as AttributeRule
}
const idOf = async (externalId: string) => {
  const { db } = shop.deps
  const found = db.selectFrom('products').select('id').where('external_id', '=', externalId)
  return (await found.executeTakeFirstOrThrow()).id
}
const attributesOf = async (externalId: string, of = shop) => {
  const { body } = await of.call('GET', `/api/v1/products/${await idOf(externalId)}`)
  return (body as ProductCard).attributes.map(({ name, value }) => `${name}: ${value}`)
}
const totalOf = async (name: string, value: string) => {
  const { body } = await shop.call('GET', `/api/v1/products?${new URLSearchParams({ [`attr.${name}`]: value })}`)
  return (body as { totalElements: number }).totalElements
}

/** Syncs products with these attributes, in their order. */
async function sync(products: { [externalId: string]: [name: string, value: string][] }) {
  const updatedAt = wireDate(new Date())
  world.supplier.lists.ListProducts = Object.entries(products).map(([id, attributes]) =>
    wireProduct(id, { updatedAt, attributes: attributes.map(([name, value]) => ({ name, value })) }),
  )
  expect(await world.sync({ full: true })).toMatchObject({ status: 'SUCCEEDED' })
}

async function readFeed(params: { [name: string]: string }) {
  feed.serve(feedXml({ offers: [{ id: 'a', params }] }))
  expect((await send('POST', '/api/v1/admin/xml-feed/sync?wait=true')).body).toMatchObject({
    status: 'SUCCEEDED',
  })
}

test('renames and drops attributes of the stock system and the feed at once, on every instance', async () => {
  await sync({
    a: [
      ['Цв.', 'красный'],
      ['Код', '1'],
    ],
    b: [['цв.', 'синий']],
    c: [['Вес', '1']],
  })
  await readFeed({ 'ЦВ.': 'алый', 'Длина, м': '2', Артикул: 'x' })
  for (const instance of [shop, other]) for (let n = 0; n < 3; n++) await attributesOf('a', instance)
  const rule = await addRule({ alias: 'ЦВ.', name: 'Цвет' })
  await addRule({ alias: 'длина, м', name: 'Длина' })
  await addRule({ alias: 'код', ignore: true })
  await addRule({ alias: 'Артикул', ignore: true })
  expect(await attributesOf('a')).toEqual(['Цвет: красный', 'Длина: 2'])
  expect(await attributesOf('b')).toEqual(['Цвет: синий'])
  await expect.poll(() => attributesOf('a', other)).toEqual(['Цвет: красный', 'Длина: 2'])
  const { body } = await shop.call('GET', '/api/v1/products/facets')
  expect((body as Facets).attributes).toEqual([
    {
      name: 'Цвет',
      unit: null,
      min: null,
      max: null,
      values: [
        { value: 'красный', count: 1 },
        { value: 'синий', count: 1 },
      ],
    },
  ])
  expect(await totalOf('Цвет', 'КРАСНЫЙ')).toBe(1)
  expect(await totalOf('Код', '1')).toBe(0)

  await send('PUT', `${RULES}/${rule.id}`, { alias: 'Вес', name: 'Масса' })
  // The feed's name differs in case alone.
  expect(await attributesOf('a')).toEqual(['Цв.: красный', 'Длина: 2'])
  expect(await attributesOf('c')).toEqual(['Масса: 1'])
  await send('DELETE', `${RULES}/${rule.id}`)
  expect(await attributesOf('c')).toEqual(['Вес: 1'])
})

test('names what the supplier brings later, and keeps its names for the end of the rule', async () => {
  const rule = await addRule({ alias: 'Цв.', name: 'Цвет' })
  const ignoring = await addRule({ alias: 'Код', ignore: true })
  await sync({
    a: [
      ['Код', '1'],
      ['Цв.', 'красный'],
    ],
  })
  expect(await attributesOf('a')).toEqual(['Цвет: красный'])
  await sync({
    a: [
      ['Код', '2'],
      ['ЦВ.', 'синий'],
      ['Вес', '1'],
    ],
    b: [['Цв.', 'алый']],
  })
  expect([await attributesOf('a'), await attributesOf('b')]).toEqual([['Цвет: синий', 'Вес: 1'], ['Цвет: алый']])
  const again = await world.sync({ full: true })
  expect(again.types?.find(({ syncType }) => syncType === 'PRODUCTS')).toMatchObject({ updated: 0 })
  await sync({
    a: [
      ['Код', '2'],
      ['цВ.', 'синий'],
      ['Вес', '1'],
    ],
    b: [['Цв.', 'алый']],
  })
  for (const { id } of [rule, ignoring]) await send('DELETE', `${RULES}/${id}`)
  expect(await attributesOf('a')).toEqual(['Код: 2', 'цВ.: синий', 'Вес: 1'])
})

test('keeps the values of attributes that get one name, in their order, without other spellings', async () => {
  await sync({
    a: [
      ['Color', 'Red'],
      ['Цв.', 'Зелёный'],
      ['Цвет', 'зеленый'],
      ['Вес', '1'],
    ],
  })
  await addRule({ alias: 'Color', name: 'Цвет' })
  await addRule({ alias: 'Цв.', name: 'Цвет' })
  expect(await attributesOf('a')).toEqual(['Цвет: Red', 'Цвет: Зелёный', 'Вес: 1'])
  expect([await totalOf('Цвет', 'red'), await totalOf('Цвет', 'ЗЕЛЁНЫЙ')]).toEqual([1, 1])
  const manual = [{ name: 'Цвет', value: 'Синий' }]
  await shop.call('PUT', `/api/v1/products/${await idOf('a')}/attributes`, { token: admin, body: manual })
  expect(await attributesOf('a')).toEqual(['Цвет: Синий', 'Вес: 1'])
  expect([await totalOf('Цвет', 'red'), await totalOf('Цвет', 'синий')]).toEqual([0, 1])
})

test("doesn't touch attributes of staff", async () => {
  await sync({ a: [['Вес', '1']] })
  const manual = [{ name: 'Цв.', value: 'Синий' }]
  await shop.call('PUT', `/api/v1/products/${await idOf('a')}/attributes`, { token: admin, body: manual })
  await addRule({ alias: 'Цв.', ignore: true })
  expect(await attributesOf('a')).toEqual(['Вес: 1', 'Цв.: Синий'])
})

test.each([
  ['a page of the sync', (trx: Trx) => lockWork(trx, 'productRows')],
  ['a stage of the pipeline', lockAttributeRules],
])('a rule waits for %s and names what it wrote', async (_, lock) => {
  await sync({ a: [['Вес', '1']] })
  const { db } = shop.deps
  const id = await idOf('a')
  let added: Promise<AttributeRule> | undefined
  await db.transaction().execute(async (trx) => {
    await lock(trx)
    const late = { product_id: id, source: 'FEED' as const, position: 0, name: 'Цв.', value: 'красный' }
    await trx.insertInto('product_attributes').values(late).execute()
    added = addRule({ alias: 'Цв.', name: 'Цвет' })
    await untilWaiting(db)
  })
  await added
  expect(await attributesOf('a')).toEqual(['Вес: 1', 'Цвет: красный'])
})

test('the pipeline waits for a rule that is being written, and applies it', async () => {
  await sync({ a: [['Вес', '1']] })
  const { db } = shop.deps
  let reading: Promise<void> | undefined
  await db.transaction().execute(async (trx) => {
    await trx.insertInto('attribute_rules').values({ alias: 'Цв.', name: 'Цвет' }).execute()
    reading = readFeed({ 'Цв.': 'красный' })
    await untilWaiting(db)
  })
  await reading
  expect(await attributesOf('a')).toEqual(['Вес: 1', 'Цвет: красный'])
})
