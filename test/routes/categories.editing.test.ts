import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { CategoryNode } from '../../src/schemas/categories.ts'
import { loginAs } from '../support/accounts.ts'
import { emptyTables } from '../support/database.ts'
import { createCategory, createProduct } from '../support/factories.ts'
import { untilWaiting, whileLocked } from '../support/locks.ts'
import { SOON, startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let other: TestShop
let editor: string
let admin: string

beforeAll(async () => {
  shop = await startTestShop()
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  editor = await loginAs(shop, 'EDITOR')
  admin = await loginAs(shop, 'ADMIN')
})
beforeEach(async () => {
  await emptyTables(shop.deps.db, 'products, categories, deleted_categories, slug_history, audit_log')
  for (const { deps } of [shop, other]) deps.caches.clear()
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const PATH = '/api/v1/categories'

type Stored = { id: number; version: number; slug: string; [field: string]: unknown }
const send = (method: string, path: string, body?: unknown, headers = {}) =>
  shop.call(method, PATH + path, { token: editor, headers, ...(body === undefined ? {} : { body }) })
async function make(input: object): Promise<Stored> {
  const answer = await send('POST', '', input)
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return JSON.parse(answer.text)
}
async function read(id: number): Promise<Stored> {
  return JSON.parse((await send('GET', `/${id}`)).text)
}
async function change(id: number, input: object): Promise<Stored> {
  const answer = await send('PUT', `/${id}`, input)
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return JSON.parse(answer.text)
}

type Outline = (string | [string, Outline])[]
async function tree(on = shop): Promise<Outline> {
  const nodes: CategoryNode[] = JSON.parse((await on.call('GET', `${PATH}/tree`)).text)
  const walk = (level: CategoryNode[]): Outline =>
    level.map(({ name, children }) => (children.length > 0 ? [name, walk(children)] : name))
  return walk(nodes)
}
const namesOf = async (path: string, on = shop): Promise<string[]> =>
  JSON.parse((await on.call('GET', path)).text).map(({ name }: { name: string }) => name)

test('a write that changes nothing makes no open form stale', async () => {
  const parent = await make({ name: 'Инструменты' })
  const created = await make({ name: 'Дрели', parentId: parent.id, seoTextDoc: { blocks: [{ text: 'Дрели' }] } })
  expect(await change(created.id, created)).toEqual(created)
  const { slug, parentId, displayOrder } = created
  expect((await send('PUT', `/${created.id}/slug`, { slug })).body).toEqual(created)
  expect((await send('POST', `/${created.id}/move`, { parentId, position: displayOrder })).body).toEqual(created)
})

test('shows edits at once on every instance', async () => {
  expect([await tree(), await tree(other)]).toEqual([[], []])
  const tools = await make({ name: 'Инструмент', showInHomepage: true })
  expect(tools).toMatchObject({
    slug: 'instrument',
    version: 1,
    externalId: null,
    visible: true,
    parentId: null,
  })
  const drills = await make({ name: ' Дрели \n и шуруповёрты ', parentId: tools.id, icon: 'drill' })
  expect(drills).toMatchObject({ name: 'Дрели и шуруповёрты', parentId: tools.id, icon: 'drill' })
  const product = await createProduct(shop.deps.db, { categoryId: drills.id })
  const outline = [['Инструмент', ['Дрели и шуруповёрты']]]
  expect(await tree()).toEqual(outline)
  await expect.poll(() => tree(other), SOON).toEqual(outline)
  for (const on of [shop, other]) {
    expect(await namesOf(`${PATH}/homepage`, on)).toEqual(['Инструмент'])
    expect((await on.call('GET', `${PATH}/by-slug/instrument`)).body).toMatchObject({ id: tools.id })
    const found = await on.call('GET', `/api/v1/products?categoryId=${tools.id}`)
    expect(found.body).toMatchObject({ content: [{ id: product, category: { id: drills.id } }] })
  }

  await change(drills.id, { name: 'Дрели', parentId: null })
  await change(tools.id, {
    name: 'Инструмент',
    showInHomepage: false,
    enabled: false,
    hiddenReason: 'Ремонт',
  })
  expect(await tree()).toEqual(['Дрели'])
  await expect.poll(() => tree(other), SOON).toEqual(['Дрели'])
  for (const on of [shop, other]) {
    expect(await namesOf(`${PATH}/homepage`, on)).toEqual([])
    expect((await on.call('GET', `${PATH}/by-slug/instrument`)).status).toBe(404)
    expect((await on.call('GET', `/api/v1/products?categoryId=${tools.id}`)).body).toMatchObject({
      content: [],
    })
  }
  expect(await read(tools.id)).toMatchObject({ hiddenReason: 'Ремонт', visible: false, version: 2 })

  expect((await send('DELETE', `/${drills.id}`)).status).toBe(204)
  for (const on of [shop, other]) {
    await expect.poll(() => tree(on), SOON).toEqual([])
    const card = await on.call('GET', `/api/v1/products/${product}`)
    expect(card.body).toMatchObject({ id: product, category: null })
  }
  for (const method of ['GET', 'DELETE']) expect((await send(method, `/${drills.id}`)).status).toBe(404)
  expect((await send('PUT', `/${drills.id}`, { name: 'x' })).status).toBe(404)
})

test('rejects a write with an older version with 412', async () => {
  await make({ name: 'Пилы' })
  const { id } = await make({ name: 'Дрели' })
  const stale = { 'if-match': '"1"' }
  await change(id, { name: 'Дрели ударные' })
  const writes: [string, string, object?][] = [
    ['PUT', `/${id}`, { name: 'Шкафы' }],
    ['PUT', `/${id}/slug`, { slug: 'stellazhi' }],
    ['POST', `/${id}/slug/regenerate`],
    ['POST', `/${id}/move`, { parentId: null, position: 1 }],
    ['DELETE', `/${id}`],
  ]
  for (const [method, path, body] of writes) {
    expect(await send(method, path, body, stale)).toMatchObject({
      status: 412,
      body: { code: 'STALE', current: { id, version: 2, name: 'Дрели ударные', seo: {}, visible: true } },
    })
  }
  let version = 2
  for (const [method, path, body] of writes.slice(0, 4)) {
    const answer = await send(method, path, body, { 'if-match': `"${version}"` })
    expect(answer).toMatchObject({ status: 200, body: { version: ++version } })
  }
  expect((await send('DELETE', `/${id}`, undefined, { 'if-match': `"${version}"` })).status).toBe(204)
})

test('leaves absent fields alone and clears blank ones', async () => {
  const doc = { blocks: [{ type: 'p', text: 'Как выбрать' }] }
  const all = {
    icon: 'drill',
    metaTitle: 'Дрели',
    metaDescription: 'Все дрели',
    seoTextDoc: doc,
    displayOrder: 7,
  }
  const { id } = await make({ name: 'Дрели', ...all })
  expect(await change(id, { name: 'Дрели' })).toMatchObject(all)
  expect(await change(id, { name: 'Дрели', icon: ' ', metaTitle: '', seoTextDoc: null })).toMatchObject({
    ...all,
    icon: null,
    metaTitle: null,
    seo: { title: 'Дрели — Shop', description: 'Все дрели' },
    seoTextDoc: null,
  })
})

test('sets and regenerates slugs, and redirects former ones', async () => {
  const { id } = await make({ name: 'Дрели' })
  const twin = await make({ name: 'Дрели' })
  expect(twin.slug).toBe('dreli-2')
  const slug = (body: object) => send('PUT', `/${id}/slug`, body)
  expect(await slug({ slug: 'dreli-2' })).toMatchObject({ status: 409, body: { code: 'SLUG_TAKEN' } })
  for (const wrong of ['', 'Дрели', 'a--b', 'x'.repeat(121), 'tree']) {
    expect(await slug({ slug: wrong })).toMatchObject({ status: 400, body: { details: [{ path: 'slug' }] } })
  }
  expect((await slug({ slug: 'instrument' })).body).toMatchObject({ slug: 'instrument', version: 2 })
  const old = await shop.call('GET', `${PATH}/by-slug/dreli`)
  expect([old.status, old.headers.get('location')]).toEqual([301, `${PATH}/by-slug/instrument`])
  expect((await change(id, { name: 'Перфораторы' })).slug).toBe('instrument')
  expect((await send('POST', `/${id}/slug/regenerate`)).body).toMatchObject({ slug: 'perforatory' })
  for (const former of ['dreli', 'instrument']) {
    const answer = await other.call('GET', `/categories/by-slug/${former}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([301, '/categories/by-slug/perforatory'])
  }
  await send('DELETE', `/${id}`)
  expect((await shop.call('GET', `${PATH}/by-slug/perforatory`)).status).toBe(404)
  expect((await make({ name: 'Инструмент' })).slug).toBe('instrument')
})

test('disables exactly what the preview of hide-unused lists', async () => {
  const { db } = shop.deps
  const used = await createCategory(db, { name: 'Занятая' })
  const below = await createCategory(db, { name: 'Ниже', parentId: used })
  await createProduct(db, { categoryId: below })
  const empty = await createCategory(db, { name: 'Пустая', parentId: used })
  const emptier = await createCategory(db, { name: 'Ещё пустее', parentId: empty })
  await createProduct(db, { categoryId: emptier, activeOverride: false })
  await createCategory(db, { name: 'Скрытая', enabled: false })
  const preview = await send('GET', '/actions/hide-unused/preview')
  expect(preview.body).toEqual({
    categories: [
      { id: empty, name: 'Пустая', path: 'Занятая / Пустая', parentId: used, visible: true },
      {
        id: emptier,
        name: 'Ещё пустее',
        path: 'Занятая / Пустая / Ещё пустее',
        parentId: empty,
        visible: true,
      },
    ],
    count: 2,
  })
  expect(await tree()).toEqual([['Занятая', ['Ниже', ['Пустая', ['Ещё пустее']]]]])
  expect((await send('POST', '/actions/hide-unused/apply')).body).toEqual(preview.body)
  expect(await tree()).toEqual([['Занятая', ['Ниже']]])
  await expect.poll(() => tree(other), SOON).toEqual([['Занятая', ['Ниже']]])
  expect(await read(empty)).toMatchObject({
    enabled: false,
    hiddenReason: 'No active products',
    version: 2,
    autoHiddenByVisibilitySync: false,
  })
  expect((await send('POST', '/actions/hide-unused/apply')).body).toEqual({ categories: [], count: 0 })
  expect(await read(emptier)).toMatchObject({ version: 2 })
})

test('audits edits', async () => {
  const { id } = await make({ name: 'Дрели' })
  await change(id, { name: 'Дрели', metaTitle: 'Купить' })
  await change(id, { name: 'Дрели', metaTitle: 'Купить' })
  await send('POST', '/reorder', { parentId: null, ids: [id] })
  await send('POST', '/actions/hide-unused/apply')
  await send('DELETE', `/${id}`)
  const { text } = await shop.call('GET', '/api/v1/admin/audit?entity=CATEGORY', { token: admin })
  const entries: { action: string; entityId: string; before: object; after: object }[] = JSON.parse(text).content
  expect(entries.map(({ action }) => action)).toEqual(['DELETE', 'UPDATE', 'UPDATE', 'CREATE'])
  expect(entries.every(({ entityId }) => entityId === String(id))).toBe(true)
  expect(entries[2]).toMatchObject({ before: { metaTitle: null }, after: { metaTitle: 'Купить' } })
  expect(entries[1]).toMatchObject({ after: { enabled: false, hiddenReason: 'No active products' } })
})

test('edits that hold all connections do not wait for a read that needs one', async () => {
  const POOL_SIZE = 10
  const { id } = await make({ name: 'Дрели' })
  const paths: [string, object][] = [
    [`${PATH}/${id}`, { name: 'Дрели' }],
    ['/api/v1/tags', { name: 'Для дачи' }],
  ]
  for (const [path, body] of paths) {
    const lock = path.includes('tags') ? 'tagSlugs' : 'categoryTree'
    const method = path.includes('tags') ? 'POST' : 'PUT'
    const pending = await whileLocked(other.deps.db, lock, async () => {
      const edits = Array.from({ length: POOL_SIZE }, () => shop.call(method, path, { token: editor, body }))
      await untilWaiting(other.deps.db, POOL_SIZE)
      shop.deps.caches.clear()
      const read = shop.call('GET', '/api/v1/config/public')
      await expect.poll(() => shop.deps.poolCounts().waiting).toBeGreaterThan(0)
      return [read, ...edits]
    })
    const statuses = (await Promise.all(pending)).map(({ status }) => status)
    expect(statuses).toEqual([200, ...Array(POOL_SIZE).fill(method === 'PUT' ? 200 : 201)])
  }
})
