import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../../db/database.ts'
import { attachExternalId, deleteProduct, recordStock } from '../../../../db/queries/catalogue/product-edits.ts'
import { deleteSlugs } from '../../../../db/queries/catalogue/slugs.ts'
import { insertRun } from '../../../../db/queries/pipeline/runs.ts'
import { applyAttributes } from '../../../../db/queries/pipeline/staging.ts'
import { createTestDatabase } from '../../../support/database.ts'
import { createProduct } from '../../../support/factories.ts'
import { untilWaiting } from '../../../support/locks.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let opened: Database

beforeAll(async () => {
  database = await createTestDatabase()
  opened = openDatabase(database.url, () => {})
})
afterAll(async () => {
  await opened.close()
  await database.drop()
})

test('frees the slugs of one kind and of these ids, but for the one to keep', async () => {
  const { db } = opened
  const slugs = [
    { kind: 'product', entity_id: 7, slug: 'drill' },
    { kind: 'product', entity_id: 7, slug: 'old-drill' },
    { kind: 'product', entity_id: 8, slug: 'hammer' },
    { kind: 'category', entity_id: 7, slug: 'tools' },
  ] as const
  for (const one of slugs) {
    await db
      .insertInto('slug_history')
      .values({ ...one, base: one.slug, suffix: 1 })
      .execute()
  }
  const owners = async () => {
    const rows = await db.selectFrom('slug_history').select(['kind', 'slug', 'entity_id']).execute()
    return slugs.map(({ kind, slug }) => rows.find((row) => row.kind === kind && row.slug === slug)?.entity_id ?? null)
  }
  await db.transaction().execute((trx) => deleteSlugs(trx, 'product', 7, 'drill'))
  expect(await owners()).toEqual([7, null, 8, 7])
  await db.transaction().execute((trx) => deleteSlugs(trx, 'product', 7))
  expect(await owners()).toEqual([null, null, 8, 7])
})

test('takes over the quantities that orders hold of a deleted product, not those they released', async () => {
  const { db } = opened
  const order = await db
    .insertInto('orders')
    .values({ status: 'NEW', customer_name: 'A', customer_phone: '1234567', delivery_method: 'PICKUP' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const line = (holding: boolean, externalId: string) => ({
    order_id: order.id,
    product_id: null,
    product_external_id: externalId,
    holding,
    product_name: 'Drill',
    quantity: 1,
    price_at_order: '1.00',
  })
  await db
    .insertInto('order_items')
    .values([line(true, 'back'), line(false, 'back'), line(true, 'other')])
    .execute()
  const id = await createProduct(db, { externalId: 'back' })
  await db.transaction().execute((trx) => attachExternalId(trx, id, 'back'))
  const rows = await db.selectFrom('order_items').select('product_id').orderBy('id').execute()
  expect(rows.map(({ product_id }) => product_id)).toEqual([id, null, null])
})

test('deletes attributes and stock history with their product, those written meanwhile included', async () => {
  const { db } = opened
  const id = await createProduct(db, { externalId: 'with-parts' })
  const run = await insertRun(db, new Date())
  await sql`insert into xml_staged_offers (run_id, position, offer_id, name, digests, pictures, params)
    values (${run.id}, 0, 'with-parts', 'Drill', '', '[]', '[{"name": "Colour", "value": "red"}]')`.execute(db)
  const deleted = await db.transaction().execute(async (trx) => {
    await recordStock(trx, id, 5)
    expect(await applyAttributes(trx, { runId: run.id, from: 0, to: 1 })).toMatchObject({ changed: [id] })
    const deletion = db.transaction().execute((other) => deleteProduct(other, id))
    await untilWaiting(db)
    return { deletion }
  })
  await deleted.deletion
  const attributes = db.selectFrom('product_attributes').select('name').where('product_id', '=', id)
  expect(await attributes.execute()).toEqual([])
  expect(await db.selectFrom('stock').select('id').where('product_id', '=', id).execute()).toEqual([])
})
