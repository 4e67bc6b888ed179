import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { emptyTables } from '../support/database.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const PATH = '/api/v1/categories'

let shop: TestShop
let editor: string

beforeAll(async () => {
  shop = await startTestShop()
  editor = await loginAs(shop, 'EDITOR')
})
beforeEach(async () => {
  await emptyTables(shop.deps.db, 'categories, deleted_categories, slug_history')
  shop.deps.caches.clear()
})
afterAll(() => shop.close())

const send = (method: string, path: string, body: unknown) => shop.call(method, PATH + path, { token: editor, body })
async function make(input: object): Promise<{ id: number }> {
  const answer = await send('POST', '', input)
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return JSON.parse(answer.text)
}

test.each<object>([
  {},
  { blocks: [{ type: 'paragraph', text: '«Ёлка» \u2028 😀 </script>', marks: [null, true, 1.5, -3e-7] }] },
  { '': 1, 'с пробелом\n': { deep: [[[[{ x: [] }]]]] }, '10': 'a', '9': 'b' },
  Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`k${n}`, n])),
])('returns seoTextDoc as it was sent (%#)', async (doc) => {
  const { id } = await make({ name: 'Дрели' })
  expect((await send('PUT', `/${id}`, { name: 'Дрели', seoTextDoc: doc })).body).toHaveProperty('seoTextDoc', doc)
  const shown = JSON.parse((await shop.call('GET', `${PATH}/by-slug/dreli`)).text)
  expect(shown.seoTextDoc).toEqual(doc)
})

test('limits seoTextDoc to 64 KB of UTF-8 and to numbers that JSON can represent', async () => {
  const sized = (bytes: number) => ({ text: 'ё'.repeat((bytes - 11) / 2) + 'x'.repeat((bytes - 11) % 2) })
  expect(Buffer.byteLength(JSON.stringify(sized(65_536)))).toBe(65_536)
  await make({ name: 'Дрели', seoTextDoc: sized(65_536) })
  for (const seoTextDoc of [sized(65_537), [], 'text', 5]) {
    expect(await send('POST', '', { name: 'Дрели', seoTextDoc })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'seoTextDoc' }] },
    })
  }
  const headers = { authorization: `Bearer ${editor}`, 'content-type': 'application/json' }
  const huge = await shop.call('POST', PATH, { headers, text: '{"name":"x","seoTextDoc":{"n":[1e400]}}' })
  expect(huge).toMatchObject({ status: 400, body: { details: [{ path: 'seoTextDoc.n.0' }] } })
})

test('names every fault and never answers 500', async () => {
  const bad = { name: ' ', parentId: 2_000_000_000, seoTextDoc: [], enabled: 'yes', icon: 'x'.repeat(3000) }
  const { status, body } = await send('POST', '', bad)
  const paths = (body as { details: { path: string }[] }).details.map(({ path }) => path)
  expect([status, paths.toSorted()]).toEqual([400, ['enabled', 'icon', 'name', 'seoTextDoc']])
  expect(await send('POST', '', { name: '\u0001', seoTextDoc: { n: 'x'.repeat(70_000) } })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'name' }, { path: 'seoTextDoc' }] },
  })
  expect(await send('POST', '', { name: 'x', parentId: 2_000_000_000 })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'parentId' }] },
  })
  for (const name of [undefined, null, 5, '', 'a\0b', 'x'.repeat(1001)]) {
    expect((await send('POST', '', { name })).status).toBe(400)
  }
  for (const parentId of [0, -1, 1.5, '1', 1e12])
    expect((await send('POST', '', { name: 'x', parentId })).status).toBe(400)
  expect((await send('PUT', '/2000000000', { name: 'x' })).status).toBe(404)
  expect((await send('POST', '/99999999999/move', { parentId: null, position: 0 })).status).toBe(404)
  const { id } = await make({ name: 'Дрели' })
  for (const move of [
    {},
    { parentId: null },
    { position: 0 },
    { parentId: null, position: -1 },
    { parentId: 2e9, position: 0 },
  ]) {
    expect((await send('POST', `/${id}/move`, move)).status).toBe(400)
  }
  for (const ids of [undefined, ['1'], [id, id], [1e12]]) {
    expect((await send('POST', '/reorder', { parentId: null, ids })).status).toBe(400)
  }
  expect(await send('POST', '/reorder', { parentId: 2_000_000_000, ids: [] })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'parentId' }] },
  })
})
