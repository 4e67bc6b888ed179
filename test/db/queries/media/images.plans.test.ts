import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../../../db/database.ts'
import * as images from '../../../../db/queries/media/images.ts'
import { createTestDatabase, vacuum } from '../../../support/database.ts'
import { createBrand, createCategory, createManyProducts } from '../../../support/factories.ts'
import { type OverheardDatabase, overhear, readsOf } from '../../../support/statements.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let shop: OverheardDatabase

// Two images a product, some of them for many, and a tenth shown nowhere.
beforeAll(async () => {
  database = await createTestDatabase()
  shop = overhear(database.url)
  const { db } = shop
  await createManyProducts(db, 5000, [await createCategory(db)], [await createBrand(db)])
  await sql`insert into images (storage_key, file_name, content_type, size, width, height, sha256, created_at)
    select 'images/' || md5(n::text), md5(n::text) || '.jpg', 'image/jpeg', n, 800, 600,
      encode(sha256(n::text::bytea), 'hex'), now() - n * interval '1 second'
    from generate_series(1, 6600) n`.execute(db)
  await sql`insert into product_images (product_id, image_id, display_order)
    select id, 1 + (row_number() over (order by id) * 2 + i) % 6000, i from products, generate_series(0, 1) i`.execute(
    db,
  )
  await sql`insert into product_images (product_id, image_id) select id, 7 from products on conflict do nothing`.execute(
    db,
  )
  await sql`insert into banner_blocks (title, image_id) select 'b', n from generate_series(1, 50) n`.execute(db)
  await vacuum(db, 'images', 'product_images', 'banner_blocks')
})
afterAll(async () => {
  await shop.close()
  await database.drop()
})

const newest = { field: 'createdAt', descending: true } as const
const page = { page: 0, size: 20 }

const reads: [string, (db: Db) => Promise<unknown>, index: string][] = [
  ['an image', (db) => images.findImage(db, 500), 'images_pkey'],
  ['one with these bytes', (db) => images.lockImageOf(db, 'ab'), 'images_sha256'],
  [
    'those that a hundred objects belong to',
    (db) =>
      images.findStorageKeys(
        db,
        Array.from({ length: 100 }, (_, n) => `images/${n}`),
      ),
    'images_storage_key_key',
  ],
  ['the newest', (db) => images.listImages(db, { search: '' }, newest, page), 'images_created'],
]

test.each(reads)('reads %s by an index', async (_name, read, index) => {
  const [plan] = await shop.plansOf(read)
  expect(readsOf(plan).join()).toContain(index)
  expect(readsOf(plan)).not.toContain('Seq Scan images')
})

test('searches names by the trigram index', async () => {
  const search = { search: 'ab12c' }
  const beyond = { page: 9, size: 20 }
  const plans = await shop.plansOf((db) => images.listImages(db, search, newest, beyond))
  expect(plans).toHaveLength(2)
  for (const plan of plans) expect(readsOf(plan).join()).toContain('images_file_name')
})

test('reads the first hundred uses of an image', async () => {
  const [plan] = await shop.plansOf((db) => images.findImageUses(db, [7, 8, 9]))
  expect(readsOf(plan)).toEqual(
    expect.arrayContaining(['Index Only Scan product_images_image', 'Index Scan products_pkey']),
  )
  expect(await images.findImageUses(shop.db, [7])).toHaveLength(100)
})

test('unlinks a deleted image from thousands of products', async () => {
  const uses = await shop.db.transaction().execute((trx) => images.deleteImage(trx, 7))
  expect(uses.length).toBeGreaterThan(4000)
  expect(await images.findImageUses(shop.db, [7])).toEqual([])
})
