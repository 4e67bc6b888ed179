import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { deleteProduct } from '../../../db/queries/catalogue/product-edits.ts'
import { findAlike, lockReviews } from '../../../db/queries/content/reviews.ts'
import type { Review } from '../../../src/schemas/reviews.ts'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

const REVIEWS = '/api/v1/reviews'
const MAX_ID = 2_147_483_647
const review = { author: 'Анна', rating: 5, text: 'Всё пришло вовремя', reviewDate: '2026-11-01' }

let shop: TestShop
let other: TestShop
let editor: string

beforeAll(async () => {
  shop = await startTestShop()
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  editor = await loginAs(shop, 'EDITOR')
})
beforeEach(async () => {
  await shop.deps.db.deleteFrom('reviews').execute()
  for (const { deps } of [shop, other]) deps.caches.clear()
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const send = (method: string, path: string, body?: unknown) =>
  shop.call(method, path, { token: editor, ...(body === undefined ? {} : { body }) })
const importFile = async (file: unknown) => (await send('POST', `${REVIEWS}/import`, file)).body
const create = async (input: object) => (await send('POST', REVIEWS, input)).body as Review
const exported = async (): Promise<Review[]> => JSON.parse((await send('GET', `${REVIEWS}/export`)).text)
const active = async (on: TestShop) => (await on.call('GET', `${REVIEWS}/active`)).body as Review[]
const stored = () => shop.deps.db.selectFrom('reviews').selectAll().orderBy('id').execute()

test('lists those with these ids', async () => {
  const made = []
  for (const author of ['Анна', 'Пётр', 'Олег']) made.push(await create({ ...review, author }))
  const [first, , last] = made.map(({ id }) => id)
  const listed = async (ids: string) =>
    Object((await send('GET', `${REVIEWS}?ids=${ids}`)).body).content?.map(({ id }: Review) => id)
  expect(await listed(`${last},${first}`)).toEqual([first, last])
  expect(await listed('')).toEqual([])
  expect((await send('GET', `${REVIEWS}?ids=x`)).status).toBe(400)
})

test('changes nothing when importing a reformatted export', async () => {
  const productId = await createProduct(shop.deps.db)
  await create({ ...review, productId })
  await create({ ...review, author: 'Пётр', active: false, displayOrder: 3 })
  const before = await stored()
  const reordered = (await exported()).map((row) => Object.fromEntries(Object.entries(row).reverse()))
  const file = `\uFEFF${JSON.stringify(reordered, null, 2).replaceAll('\n', '\r\n')}`
  const answer = await fetch(`${shop.url}${REVIEWS}/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${editor}`, 'content-type': 'application/json' },
    body: file,
  })
  expect(await answer.json()).toEqual({ created: 0, updated: 0, unchanged: 2 })
  expect(await stored()).toEqual(before)
})

test('changes nothing when importing an export of another shop again', async () => {
  for (const author of ['Анна', 'Пётр', 'Олег']) await create({ ...review, author })
  const file = (await exported()).toReversed().map((row, index) => ({ ...row, id: MAX_ID - index }))
  await shop.deps.db.deleteFrom('reviews').execute()
  expect(await importFile(file)).toEqual({ created: 3, updated: 0, unchanged: 0 })
  const after = await stored()
  expect(await importFile(file)).toEqual({ created: 0, updated: 0, unchanged: 3 })
  const withUnknown = file.map((row) => ({ ...row, source: 'CRM' }))
  expect(await importFile(withUnknown)).toEqual({ created: 0, updated: 0, unchanged: 3 })
  expect(await stored()).toEqual(after)
})

test('creates, updates and skips, and shows the result on all instances', async () => {
  const same = await create(review)
  const old = await create({ ...review, author: 'Пётр' })
  await active(other)
  const file = [
    ...(await exported()).map((row) => (row.id === old.id ? { ...row, rating: 1 } : row)),
    { ...review, id: old.id + 1000, author: 'С номером' },
  ]
  expect(await importFile(file)).toEqual({ created: 1, updated: 1, unchanged: 1 })
  expect(await importFile(file)).toEqual({ created: 0, updated: 0, unchanged: 3 })
  expect(await importFile([review])).toEqual({ created: 1, updated: 0, unchanged: 0 })
  const shown = await active(shop)
  expect(shown).toMatchObject([{ ...review, id: same.id }, { id: old.id, rating: 1 }, { author: 'С номером' }, review])
  await expect.poll(() => active(other), { interval: 20 }).toEqual(shown)
})

test('reads only the reviews that a file can mean', async () => {
  const productId = await createProduct(shop.deps.db)
  const others = [{ ...review, rating: 1 }, { ...review, productId }, { ...review, text: 'Долго' }, review]
  const ids: number[] = []
  for (const other of others) ids.push((await create(other)).id)
  const [first, second, third, last] = ids
  const alike = async (...rows: object[]) => {
    const given = rows.map((row) => ({ ...review, productId: null, id: null, ...row }))
    return (await findAlike(shop.deps.db, given)).map(({ id }) => id)
  }
  expect(await alike({ id: MAX_ID })).toEqual([first, last])
  expect(await alike({ id: MAX_ID, productId }, { id: third, author: 'Пётр' })).toEqual([second, third])
  expect(await alike({ id: MAX_ID, reviewDate: '2026-11-02' })).toEqual([])
  expect(await alike({})).toEqual([])
})

test('gives new ids whatever ids a file has', async () => {
  const { id } = await create(review)
  const file = [MAX_ID, id + 1, id + 2].map((unknown) => ({
    ...review,
    author: `Row ${unknown}`,
    id: unknown,
  }))
  expect(await importFile(file)).toMatchObject({ created: 3 })
  const ids = (await stored()).map((row) => row.id)
  expect(ids).toEqual([id, id + 1, id + 2, id + 3])
  expect(await create(review)).toMatchObject({ id: id + 4 })
})

test('rejects an import with faults, and names rows and fields', async () => {
  const file = [review, { ...review, productId: 2_000_000_000 }]
  expect(await importFile(file)).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: '1.productId' }] })
  expect(await importFile([review, { ...review, rating: 'five' }])).toMatchObject({
    details: [{ path: '1.rating' }],
  })
  expect(await stored()).toEqual([])
})

test('names the row whose product is deleted while the import waits', async () => {
  const id = await createProduct(shop.deps.db)
  const file = [review, { ...review, productId: id }]
  const pending = await whileLocked(
    shop.deps.db,
    (trx) => deleteProduct(trx, id),
    async () => {
      const answer = send('POST', `${REVIEWS}/import`, file)
      await untilWaiting(shop.deps.db)
      return { answer }
    },
  )
  expect(await pending.answer).toMatchObject({
    status: 400,
    body: { details: [{ path: '1.productId', message: expect.any(String) }] },
  })
  expect(await stored()).toEqual([])
})

test('matches an import with what another one has written meanwhile', async () => {
  const file = [1, 2, 3].map((n) => ({ ...review, id: MAX_ID - n }))
  const imports = await whileLocked(shop.deps.db, lockReviews, async () => {
    const pending = [1, 2].map(() => importFile(file))
    await untilWaiting(shop.deps.db, pending.length)
    return pending
  })
  const results = (await Promise.all(imports)) as { created: number }[]
  expect(results.map(({ created }) => created).toSorted()).toEqual([0, 3])
})
