import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StaffProductCard as ProductCard } from '../../../src/schemas/products.ts'
import { loginAs } from '../../support/accounts.ts'
import { type ScriptedShop, startScriptedShop, wireProduct } from '../../support/scripted-supplier.ts'

let world: ScriptedShop
let admin: string

beforeAll(async () => {
  world = await startScriptedShop()
  admin = await loginAs(world.shop, 'ADMIN')
})
afterAll(() => world.close())

const HARMFUL = '<p onclick="x">Drill<script>alert(1)</script> <b>TK-510</b>'
const SAFE = '<p>Drill <b>TK-510</b></p>'
const PRODUCTS = '/api/v1/products'

async function send(method: string, path: string, body?: object): Promise<ProductCard> {
  const answer = await world.shop.call(method, PRODUCTS + path, { token: admin, ...(body && { body }) })
  expect(answer.status).toBe(method === 'POST' ? 201 : 200)
  return answer.body as ProductCard
}

test('sanitises what staff write', async () => {
  const { id, description } = await send('POST', '', { name: 'Own', description: HARMFUL })
  expect(description).toBe(SAFE)
  expect(await send('PUT', `/${id}`, { name: 'Own', description: `${HARMFUL}2` })).toMatchObject({
    description: SAFE.replace('</p>', '2</p>'),
  })
  const { version } = await send('PATCH', `/${id}`, { description: HARMFUL })
  expect(await send('PATCH', `/${id}`, { description: HARMFUL })).toMatchObject({
    version,
    description: SAFE,
  })
  expect(await send('PATCH', `/${id}`, { description: 'A & B > C' })).toMatchObject({
    description: 'A & B > C',
  })
  expect(await send('PATCH', `/${id}`, { description: 'A & B\nC\n\nD' })).toMatchObject({
    description: '<p>A &amp; B<br />C</p><p>D</p>',
  })
  expect(await send('PATCH', `/${id}`, { description: '<script>x</script>' })).toMatchObject({
    description: null,
  })
})

test("sanitises the supplier's once, and leaves an unchanged record alone", async () => {
  world.supplier.lists.ListProducts = [
    wireProduct('html', { description: HARMFUL }),
    wireProduct('text', { description: 'Plain & simple' }),
    wireProduct('lines', { description: 'Plain\n& simple' }),
    wireProduct('script', { description: '<script>x</script>' }),
  ]
  const types = (run: Awaited<ReturnType<typeof world.sync>>) =>
    run.types.find(({ syncType }) => syncType === 'PRODUCTS')
  expect(types(await world.sync({ full: true }))).toMatchObject({ created: 4, skipped: 0 })
  const stored = await world.shop.deps.db
    .selectFrom('products')
    .select(['external_id', 'description'])
    .where('external_id', 'is not', null)
    .orderBy('id')
    .execute()
  expect(stored).toEqual([
    { external_id: 'html', description: SAFE },
    { external_id: 'text', description: 'Plain & simple' },
    { external_id: 'lines', description: '<p>Plain<br />&amp; simple</p>' },
    { external_id: 'script', description: null },
  ])
  expect(types(await world.sync({ full: true }))).toMatchObject({ updated: 0, unchanged: 4 })
  const { externalId, id } = await find('html')
  expect(externalId).toBe('html')
  // What staff copy from the supplier's page is his own text.
  expect(await send('PATCH', `/${id}`, { description: HARMFUL })).toMatchObject({ overrides: [] })
})

test('leaves the event loop free', async () => {
  const costly = '<font>'.repeat(2500) + '</u>'.repeat(2499)
  const sanitizing = world.shop.deps.htmlSanitizer.sanitize(Array(10).fill(costly))
  const turns = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
    return 'turned'
  }
  expect(await Promise.race([sanitizing, turns()])).toBe('turned')
  expect(await sanitizing).toEqual(Array(10).fill(''))
})

async function find(externalId: string) {
  const { body } = await world.shop.call('GET', `${PRODUCTS}?search=${externalId}`, { token: admin })
  return (body as { content: ProductCard[] }).content[0] as ProductCard
}
