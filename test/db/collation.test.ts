import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../db/database.ts'
import { migrate } from '../../db/migrate.ts'
import { backUp } from '../../src/backup/backup.ts'
import { restore } from '../../src/backup/restore.ts'
import { createUser, loginAs } from '../support/accounts.ts'
import { newPlace } from '../support/backups.ts'
import { createTestDatabase } from '../support/database.ts'
import { createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let empty: Awaited<ReturnType<typeof createTestDatabase>>
let shop: TestShop
let admin: string

// It ignores punctuation and the case of letters, as the locales of operating systems do.
beforeAll(async () => {
  empty = await createTestDatabase({ migrated: false })
  const url = new URL(empty.url)
  url.pathname += '_sorted'
  await onServer(sql`create database ${sql.ref(url.pathname.slice(1))} template template0
    locale_provider icu icu_locale 'en-US-u-ka-shifted' locale 'C'`)
  await migrate(url.href)
  shop = await startTestShop({}, { databaseUrl: url.href })
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await shop.close()
  await onServer(sql`drop database ${sql.ref(new URL(shop.deps.config.databaseUrl).pathname.slice(1))} with (force)`)
  await empty.drop()
})

async function onServer(statement: ReturnType<typeof sql>): Promise<void> {
  const { db, close } = openDatabase(empty.url, () => {})
  await statement.execute(db).finally(close)
}

/** From the first to the last. */
const NAMES = ['абрамов', 'Ёлкин Яков', 'Ёлкина Анна', 'Иванов', 'яковлев']
const inAnyOrder = () => NAMES.toSorted()

async function listed(path: string, field: string): Promise<unknown[]> {
  const { body } = await shop.call('GET', `/api/v1/${path}`, { token: admin })
  return (Array.isArray(body) ? body : Object(body).content).map((row: object) => Object(row)[field])
}

test('lists are sorted as people do', async () => {
  const { db } = shop.deps
  for (const name of inAnyOrder()) await createUser(shop, 'USER', { name })
  const contacts = inAnyOrder().map((name) => ({ name, phone: '1', message: '-' }))
  await db.insertInto('contact_requests').values(contacts).execute()
  expect(await listed('admin/users?role=USER&sort=name', 'name')).toEqual(NAMES)
  expect(await listed('admin/contacts?sort=name,desc', 'name')).toEqual(NAMES.toReversed())
})

test('a product names its tags in the order of the list of tags', async () => {
  const { db } = shop.deps
  const product_id = await createProduct(db)
  const values = inAnyOrder().map((name, n) => ({ name, slug: `tag-${n}` }))
  const tags = await db.insertInto('tags').values(values).returning('id').execute()
  await db
    .insertInto('product_tags')
    .values(tags.map(({ id }) => ({ product_id, tag_id: id })))
    .execute()
  const { body } = await shop.call('GET', `/api/v1/products/${product_id}`)
  expect(Object(body).tags.map(({ name }: { name: string }) => name)).toEqual(NAMES)
  expect(await listed('tags', 'name')).toEqual(NAMES)
})

test('a backup can be restored elsewhere', async () => {
  const place = await newPlace()
  const folder = await mkdtemp(join(tmpdir(), 'shop-backup-'))
  const file = join(folder, 'shop.tar.zst')
  await backUp(shop.deps.config, shop.deps.config.databaseUrl, file)
  expect(await restore(place.config, place.url, file)).toMatchObject({ migrated: [] })
  await place.remove()
  await rm(folder, { recursive: true })
})
