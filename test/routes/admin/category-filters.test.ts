import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { emptyTables } from '../../support/database.ts'
import { createCategory, createProduct } from '../../support/factories.ts'
import { SOON, startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let other: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop()
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
})
beforeEach(async () => {
  const { db } = shop.deps
  await emptyTables(db, 'products, categories, category_regex_filters, audit_log')
  await setting('job_category_visibility_enabled', 'true')
  for (const { deps } of [shop, other]) deps.caches.clear()
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const PATH = '/api/v1/admin/category-filters'

async function setting(key: string, value: string): Promise<void> {
  await shop.deps.db.updateTable('app_config').set({ value }).where('key', '=', key).execute()
}

type Stored = { id: number; version: number; [field: string]: unknown }
const send = (method: string, path = '', body?: unknown, headers = {}) =>
  shop.call(method, PATH + path, { token: admin, headers, ...(body === undefined ? {} : { body }) })
async function make(input: object): Promise<Stored> {
  const answer = await send('POST', '', input)
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return JSON.parse(answer.text)
}

/** A category with a product, so that the lack of products doesn't hide it. */
async function filled(name: string, parentId: number | null = null): Promise<number> {
  const id = await createCategory(shop.deps.db, { name, parentId })
  await createProduct(shop.deps.db, { categoryId: id })
  return id
}
const shown = async (on = shop): Promise<string[]> => {
  const rows: { name: string }[] = JSON.parse((await on.call('GET', '/api/v1/categories')).text)
  return rows.map(({ name }) => name)
}

test('hides and shows categories at once on all instances', async () => {
  const top = await filled('Инструмент')
  await filled('Архив 2019', top)
  await filled('УЦЕНКА')
  expect([await shown(), await shown(other)]).toEqual([
    ['Инструмент', 'Архив 2019', 'УЦЕНКА'],
    ['Инструмент', 'Архив 2019', 'УЦЕНКА'],
  ])
  const { id, ...rule } = await make({ pattern: '^(архив|уценка)', target: 'name' })
  expect(rule).toMatchObject({ pattern: '^(архив|уценка)', target: 'name', active: true, version: 1 })
  expect(await shown()).toEqual(['Инструмент'])
  await expect.poll(() => shown(other), SOON).toEqual(['Инструмент'])

  await send('PUT', `/${id}`, { pattern: '^инструмент / архив', target: 'path' })
  expect(await shown()).toEqual(['Инструмент', 'УЦЕНКА'])
  expect((await send('PUT', `/${id}`, { pattern: '^инструмент$', target: 'path' })).body).toMatchObject({
    version: 3,
  })
  expect(await shown()).toEqual(['УЦЕНКА'])
  await send('PUT', `/${id}`, { pattern: '^инструмент$', target: 'path', active: false })
  expect(await shown()).toEqual(['Инструмент', 'Архив 2019', 'УЦЕНКА'])
  expect((await send('PUT', `/${id}`, { pattern: '\\d{4}$', target: 'name' })).body).toMatchObject({
    active: false,
  })
  await send('PUT', `/${id}`, { pattern: '\\d{4}$', target: 'name', active: true })
  expect(await shown()).toEqual(['Инструмент', 'УЦЕНКА'])
  expect((await send('GET')).body).toMatchObject([{ id, version: 6 }])
  expect((await send('DELETE', `/${id}`)).status).toBe(204)
  expect(await shown()).toEqual(['Инструмент', 'Архив 2019', 'УЦЕНКА'])
  await expect.poll(() => shown(other), SOON).toHaveLength(3)
  expect((await send('DELETE', `/${id}`)).status).toBe(404)
  expect((await send('PUT', `/${id}`, { pattern: 'x', target: 'name' })).status).toBe(404)
})

test('hides nothing while the job is disabled', async () => {
  await filled('Архив')
  await setting('job_category_visibility_enabled', 'false')
  const { id } = await make({ pattern: 'архив', target: 'name' })
  expect(await shown()).toEqual(['Архив'])
  await setting('job_category_visibility_enabled', 'true')
  await send('PUT', `/${id}`, { pattern: 'арх', target: 'name' })
  expect(await shown()).toEqual([])
})

test('rejects a write of an older version with 412', async () => {
  await filled('Архив')
  const { id } = await make({ pattern: 'нет', target: 'name' })
  await send('PUT', `/${id}`, { pattern: 'нету', target: 'name' })
  for (const [method, body] of [['PUT', { pattern: 'архив', target: 'name' }], ['DELETE']] as const) {
    expect(await send(method, `/${id}`, body, { 'if-match': '"1"' })).toMatchObject({
      status: 412,
      body: { code: 'STALE', current: { id, version: 2, pattern: 'нету' } },
    })
  }
  expect(await shown()).toEqual(['Архив'])
})

test.each([
  ['(', /missing closing \): `\(`/],
  ['[а-', /missing closing|range/],
  ['*', /missing argument/],
  ['\\1', /escape/],
  ['(?=архив)', /\(\?/],
  ['(?<!не)архив', /\(\?/],
  ['a{1001}', /repeat/],
  ['(a{1000}){1000}', /repeat/],
  ['(?:\\pL{25}\\d{25}){20}|x{900}', /too large/],
  ['x'.repeat(501), /501|500/],
  ['', /./],
  [' ', /Fill in/],
  ['a\0', /U\+0000/],
])('%j is no pattern', async (pattern, message) => {
  const { id } = await make({ pattern: 'нет', target: 'name' })
  for (const [method, path] of [
    ['POST', ''],
    ['PUT', `/${id}`],
    ['POST', '/test'],
  ] as const) {
    expect(await send(method, path, { pattern, target: 'name' })).toMatchObject({
      status: 400,
      body: {
        code: 'VALIDATION_FAILED',
        details: [{ path: 'pattern', message: expect.stringMatching(message) }],
      },
    })
  }
  expect((await send('GET')).body).toMatchObject([{ id, pattern: 'нет' }])
})

test('names every fault', async () => {
  for (const body of [{}, { pattern: 5, target: 'slug' }, { pattern: null, target: null }]) {
    const answer = await send('POST', '', body)
    const { details } = answer.body as { details: { path: string }[] }
    const paths = new Set(details.map(({ path }) => path))
    expect([answer.status, paths]).toEqual([400, new Set(['pattern', 'target'])])
  }
  expect((await send('POST', '', [])).status).toBe(400)
})

test('tests a filter: lists its matches', async () => {
  const top = await filled('Инструмент')
  const archive = await filled('Архив', top)
  const low = await filled('Дрели', archive)
  await filled('Пилы', archive)
  const hidden = await createCategory(shop.deps.db, { name: 'Скрытое', parentId: low, enabled: false })
  expect((await send('POST', '/test', { pattern: 'архив|скрыт', target: 'name' })).body).toEqual({
    categories: [
      { id: archive, name: 'Архив', path: 'Инструмент / Архив', parentId: top, visible: true },
      {
        id: hidden,
        name: 'Скрытое',
        path: 'Инструмент / Архив / Дрели / Скрытое',
        parentId: low,
        visible: false,
      },
    ],
    count: 2,
  })
  expect((await send('POST', '/test', { pattern: '/ архив /.*/', target: 'path' })).body).toMatchObject({
    count: 1,
  })
  expect((await send('POST', '/test', { pattern: 'нет такого', target: 'path' })).body).toEqual({
    categories: [],
    count: 0,
  })
  expect(await shown()).toHaveLength(4)
  expect((await send('GET')).body).toEqual([])
})

test('audits changes of a filter', async () => {
  const { id } = await make({ pattern: 'архив', target: 'name' })
  await send('PUT', `/${id}`, { pattern: 'архив', target: 'path' })
  await send('DELETE', `/${id}`)
  const path = '/api/v1/admin/audit?entity=CATEGORY_FILTER'
  const { content } = JSON.parse((await shop.call('GET', path, { token: admin })).text)
  expect(content).toMatchObject([
    { action: 'DELETE', entityId: String(id), after: null },
    { action: 'UPDATE', before: { target: 'name' }, after: { target: 'path' } },
    { action: 'CREATE', after: { pattern: 'архив', active: true } },
  ])
})
