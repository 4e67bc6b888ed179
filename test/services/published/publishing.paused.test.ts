import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  findNewestPublication,
  insertPublication,
  lockPublications,
} from '../../../db/queries/published/publications.ts'
import { rebuild } from '../../../src/services/published/publishing.ts'
import { createCategory, createProduct, markSynchronised } from '../../support/factories.ts'
import { untilWaiting } from '../../support/locks.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// A process that was paused doesn't notice that another one has its lock.
let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop({ SITE_URL: 'https://shop.example' }, { publishes: true })
  await markSynchronised(shop.deps.db)
  await createProduct(shop.deps.db, { categoryId: await createCategory(shop.deps.db), price: '10', stock: 1 })
})
afterAll(() => shop.close())

test.each(['feed', 'sitemap'] as const)(
  'a %s is not published over one that another process published meanwhile',
  async (kind) => {
    const { db } = shop.deps
    const { built, id } = await db
      .transaction()
      .execute(async (trx) => {
        await lockPublications(trx)
        const building = rebuild(shop.deps, kind)
        await untilWaiting(db)
        const file = { name: 'newer.xml', size: 1, gzipSize: 1 }
        const row = { kind, built_at: new Date(), content_hash: 'newer', entries: 1, file }
        return { built: building, id: await insertPublication(trx, row) }
      })
      .then((outcome) => outcome)
    expect((await built).status).toBe('FAILED')
    expect((await findNewestPublication(db, kind))?.id).toBe(id)
  },
)
