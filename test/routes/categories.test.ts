import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { CategoryNode } from '../../src/schemas/categories.ts'
import { loginAs } from '../support/accounts.ts'
import { createCategory, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let editor: string

beforeAll(async () => {
  shop = await startTestShop()
  editor = await loginAs(shop, 'EDITOR')
})
afterAll(() => shop.close())
beforeEach(async () => {
  await shop.deps.db.deleteFrom('products').execute()
  await shop.deps.db.deleteFrom('categories').execute()
  await sql`update app_config set value = 'true' where key = 'category_tree_orphan_as_root'`.execute(shop.deps.db)
  await sql`update app_config set value = '' where key = 'category_tree_root_category_id'`.execute(shop.deps.db)
  forget()
})

function forget(): void {
  shop.deps.caches.clear()
}

async function setting(key: string, value: string): Promise<void> {
  await shop.deps.db.updateTable('app_config').set({ value }).where('key', '=', key).execute()
  forget()
}

async function get(path: string, token?: string) {
  const answer = await shop.call('GET', `/api/v1/categories${path}`, token === undefined ? {} : { token })
  return { status: answer.status, body: answer.body === undefined ? undefined : JSON.parse(answer.text) }
}

type Outline = (string | [string, Outline])[]

async function outline(): Promise<Outline> {
  const { status, body } = await get('/tree')
  expect(status).toBe(200)
  const walk = (nodes: CategoryNode[]): Outline =>
    nodes.map(({ name, children }) => (children.length > 0 ? [name, walk(children)] : name))
  return walk(body)
}

test('lists visible categories with public fields, and everything for editors', async () => {
  const { db } = shop.deps
  const top = await createCategory(db, { name: 'Top', slug: 'top', externalId: 'ext-top', displayOrder: 3 })
  const hidden = await createCategory(db, { name: 'Hidden', parentId: top, enabled: false })
  const below = await createCategory(db, { name: 'Below', parentId: hidden })
  const auto = await createCategory(db, { name: 'Auto', autoHidden: true })
  await db
    .updateTable('categories')
    .set({
      hidden_reason: 'season',
      seo_text_doc: { blocks: [1, { a: null }] },
      icon: 'lamp',
    })
    .where('id', '=', top)
    .execute()
  await createProduct(db, { categoryId: top })
  await createProduct(db, { categoryId: below })
  await createProduct(db, { categoryId: below, supplierActive: false })

  const shared = {
    id: top,
    externalId: 'ext-top',
    name: 'Top',
    slug: 'top',
    parentId: null,
    enabled: true,
    visible: true,
    showInHomepage: false,
    displayOrder: 3,
    icon: 'lamp',
    productCount: 2,
    metaTitle: null,
    metaDescription: null,
    seo: { title: 'Top — Shop', description: 'Top. Shop' },
    seoTextDoc: { blocks: [1, { a: null }] },
    canonicalPath: '/categories/top',
  }
  const forPublic = await get('')
  expect(forPublic.body).toEqual([shared])
  const forEditor = await get('', editor)
  expect(forEditor.body[1]).toEqual({
    ...shared,
    categoryLockedByGbstore: false,
    autoHiddenByVisibilitySync: false,
    version: 1,
    hiddenReason: 'season',
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: expect.stringMatching(/Z$/),
  })
  expect(forEditor.body.map(({ id, visible }: { id: number; visible: boolean }) => [id, visible])).toEqual([
    [auto, false],
    [top, true],
    [hidden, false],
    [below, false],
  ])
  expect((await get('', await loginAs(shop, 'USER'))).body).toEqual([shared])
  expect(await get(`/${hidden}`, editor)).toMatchObject({
    status: 200,
    body: { id: hidden, productCount: 1 },
  })
})

test('returns a category by id to editors only', async () => {
  const id = await createCategory(shop.deps.db)
  expect((await get(`/${id}`)).status).toBe(401)
  expect((await get(`/${id}`, await loginAs(shop, 'USER'))).status).toBe(403)
  for (const unknown of [2_147_483_647, 2_147_483_648, 0]) expect((await get(`/${unknown}`, editor)).status).toBe(404)
  expect((await get('/abc', editor)).status).toBe(400)
})

test('nests visible categories by displayOrder, then name, for staff too', async () => {
  const { db } = shop.deps
  const b = await createCategory(db, { name: 'Б' })
  await createCategory(db, { name: 'А' })
  await createCategory(db, { name: 'Я', displayOrder: -1 })
  await createCategory(db, { name: 'Б2', parentId: b })
  await createCategory(db, { name: 'Б1', parentId: b })
  const hidden = await createCategory(db, { name: 'Скрыта', parentId: b, enabled: false })
  await createCategory(db, { name: 'Под скрытой', parentId: hidden })
  expect(await outline()).toEqual(['Я', 'А', ['Б', ['Б1', 'Б2']]])
  expect((await get('/tree', editor)).body).toHaveLength(3)
})

test('shapes the tree by category_tree_root_category_id and category_tree_orphan_as_root', async () => {
  const { db } = shop.deps
  const root = await createCategory(db, { name: 'Root' })
  await createCategory(db, { name: 'Child', parentId: root })
  const orphan = await createCategory(db, { name: 'Orphan' })
  await db.updateTable('categories').set({ parent_external_id: 'lost' }).where('id', '=', orphan).execute()
  await createCategory(db, { name: 'Its child', parentId: orphan })
  expect(await outline()).toEqual([
    ['Orphan', ['Its child']],
    ['Root', ['Child']],
  ])
  await setting('category_tree_orphan_as_root', 'false')
  expect(await outline()).toEqual([['Root', ['Child']]])
  await setting('category_tree_root_category_id', String(root))
  expect(await outline()).toEqual(['Child'])
  await setting('category_tree_root_category_id', '2147483647')
  expect(await outline()).toEqual([['Root', ['Child']]])
})

test('lists the visible categories of the homepage block in tree order', async () => {
  const { db } = shop.deps
  const top = await createCategory(db, { name: 'Top', showInHomepage: true, displayOrder: 2 })
  const below = await createCategory(db, { name: 'Below', showInHomepage: true, parentId: top })
  const first = await createCategory(db, { name: 'First', showInHomepage: true, displayOrder: 1 })
  await createCategory(db, { name: 'Hidden', showInHomepage: true, enabled: false })
  await createCategory(db, { name: 'Elsewhere' })
  const { body } = await get('/homepage')
  expect(body.map(({ id }: { id: number }) => id)).toEqual([first, top, below])
  expect(body[0]).not.toHaveProperty('children')
})

test('serves a category that is its own parent, and a cycle', async () => {
  const { db } = shop.deps
  const self = await createCategory(db, { name: 'Self' })
  await db.updateTable('categories').set({ parent_id: self }).where('id', '=', self).execute()
  const a = await createCategory(db, { name: 'Ring 1' })
  const b = await createCategory(db, { name: 'Ring 2', parentId: a })
  await db.updateTable('categories').set({ parent_id: b }).where('id', '=', a).execute()
  const id = await createProduct(db, { categoryId: b })
  expect(await outline()).toEqual([['Ring 1', ['Ring 2']], 'Self'])
  expect((await get('')).body.map(({ productCount }: { productCount: number }) => productCount)).toEqual([1, 1, 0])
  expect((await shop.call('GET', `/api/v1/products/${id}`)).body).toMatchObject({
    breadcrumbs: [{ id: a }, { id: b }],
  })
  expect((await shop.call('GET', `/api/v1/products?categoryId=${self}`)).body).toMatchObject({
    totalElements: 0,
  })
})

test('answers a chain of 1 500 and 3 000 siblings', async () => {
  const { db } = shop.deps
  await sql`
    insert into categories (id, name, slug, parent_id)
    select 1000000 + n, 'Link ' || n, 'link-' || n, case when n > 1 then 1000000 + n - 1 end from generate_series(1, 1500) n
  `.execute(db)
  await sql`
    insert into categories (id, name, slug, parent_id)
    select 2000000 + n, 'Leaf ' || n, 'leaf-' || n, 1000001 from generate_series(1, 3000) n
  `.execute(db)
  const id = await createProduct(db, { categoryId: 1_001_500 })
  forget()
  const tree = await get('/tree')
  expect(tree.status).toBe(200)
  let deepest = 0
  let nodes = 0
  const open = tree.body.map((node: CategoryNode) => ({ node, level: 1 }))
  for (const { node, level } of open) {
    nodes += 1
    deepest = Math.max(deepest, level)
    for (const child of node.children) open.push({ node: child, level: level + 1 })
  }
  expect([nodes, deepest]).toEqual([3050, 50])
  expect((await get('')).body).toHaveLength(4500)
  const list = await shop.call('GET', '/api/v1/products?categoryId=1000001')
  expect(list.body).toMatchObject({ totalElements: 1, content: [{ id }] })
  expect((await shop.call('GET', `/api/v1/products/${id}`)).status).toBe(200)
})
