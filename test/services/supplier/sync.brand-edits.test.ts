import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Brand } from '../../../src/schemas/brands.ts'
import { loginAs } from '../../support/accounts.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { type ScriptedShop, startScriptedShop, wireDate } from '../../support/scripted-supplier.ts'

let world: ScriptedShop
let admin: string

beforeAll(async () => {
  world = await startScriptedShop()
  admin = await loginAs(world.shop, 'ADMIN')
})
afterAll(() => world.close())
beforeEach(() => world.startOver())

/** Lists these brands at the supplier and syncs. @returns the counts of brands */
async function sync(names: { [externalId: string]: string }, full = false) {
  const updatedAt = wireDate(new Date())
  world.supplier.lists.ListBrands = Object.entries(names).map(([id, name]) => ({ id, name, updatedAt }))
  const run = await world.sync({ full })
  expect(run).toMatchObject({ status: 'SUCCEEDED' })
  return run.types.find(({ syncType }) => syncType === 'BRANDS')
}
async function brand(externalId: string): Promise<Brand> {
  const { body } = await world.shop.call('GET', '/api/v1/brands', { token: admin })
  const found = (body as Brand[]).find((one) => one.externalId === externalId)
  if (found === undefined) throw new Error(`There is no brand ${externalId}`)
  return found
}
async function edit(externalId: string, input: object): Promise<Brand> {
  const { id } = await brand(externalId)
  const answer = await world.shop.call('PUT', `/api/v1/admin/brands/${id}`, { token: admin, body: input })
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return answer.body as Brand
}

test('gives new brands slugs, which a rename by the supplier leaves', async () => {
  await sync({ b1: 'Зубр & Co', b2: 'зубр & co', b3: '★' })
  const third = await brand('b3')
  expect([(await brand('b1')).slug, (await brand('b2')).slug]).toEqual(['zubr-co', 'zubr-co-2'])
  expect(third.slug).toBe(`brand-${third.id}`)
  expect(await sync({ b1: 'Bison', b2: 'зубр & co' })).toMatchObject({ updated: 1, unchanged: 1 })
  expect(await brand('b1')).toMatchObject({ name: 'Bison', slug: 'zubr-co' })
})

test('keeps what staff set through every sync, until they set the supplier’s name', async () => {
  await sync({ b1: 'Acme' })
  const set = { name: 'Acme Tools', slug: 'tools', description: 'Since 1949' }
  await edit('b1', set)
  expect(await sync({ b1: 'Acme' }, true)).toMatchObject({ updated: 0, unchanged: 1 })
  expect(await brand('b1')).toMatchObject({ ...set, supplierName: 'Acme' })
  expect(await sync({ b1: 'ACME Inc.' })).toMatchObject({ updated: 1 })
  expect(await brand('b1')).toMatchObject({ ...set, supplierName: 'ACME Inc.' })
  expect(await edit('b1', { name: 'ACME Inc.' })).toMatchObject({ supplierName: null })
  await sync({ b1: 'Acme GmbH' })
  expect(await brand('b1')).toMatchObject({ ...set, name: 'Acme GmbH', supplierName: null })
})

test('keeps following the supplier’s name when staff change something else', async () => {
  await sync({ b1: 'Acme' })
  expect(await edit('b1', { name: 'Acme', slug: 'tools', description: 'Since 1949' })).toMatchObject({
    supplierName: null,
  })
  await sync({ b1: 'Acme Inc.' })
  expect(await brand('b1')).toMatchObject({ name: 'Acme Inc.', slug: 'tools', description: 'Since 1949' })
})

test('gives a slug to a brand that an older version added', async () => {
  const { db } = world.shop.deps
  await db.insertInto('brands').values({ external_id: 'b1', name: 'Older' }).execute()
  const { id, slug } = await brand('b1')
  expect(slug).toBe(`brand-${id}`)
  await sync({ b1: 'Older' })
  expect((await brand('b1')).slug).toBe('older')
  expect((await world.shop.call('GET', '/api/v1/brands/by-slug/older')).status).toBe(200)
})

test('renames and adds brands while one of them is edited', async () => {
  await sync({ b1: 'Acme' })
  const { id } = await brand('b1')
  const body = { name: 'Acme', slug: 'tools' }
  const pending = await whileLocked(world.shop.deps.db, 'brandSlugs', async () => {
    const edited = world.shop.call('PUT', `/api/v1/admin/brands/${id}`, { token: admin, body })
    await untilWaiting(world.shop.deps.db)
    const synced = sync({ b1: 'Acme Inc.', b2: 'Tools' })
    await untilWaiting(world.shop.deps.db, 2)
    return { edited, synced }
  })
  expect((await pending.edited).status).toBe(200)
  expect(await pending.synced).toMatchObject({ created: 1, updated: 1 })
  expect([await brand('b1'), await brand('b2')]).toMatchObject([
    { name: 'Acme Inc.', slug: 'tools' },
    { name: 'Tools', slug: 'tools-2' },
  ])
})
