import { expect, test } from 'vitest'
import { openDatabase } from '../../db/database.ts'
import { migrateWithin } from '../../db/migrate.ts'
import { sanitizeDescriptions } from '../../src/rules/catalogue/descriptions.ts'
import { createTestDatabase } from '../support/database.ts'

test("writes the line breaks of staff's descriptions as later edits do, and leaves all others", async () => {
  const { url, drop } = await createTestDatabase({ migrated: false })
  const { db, close } = openDatabase(url, () => {}, { max: 1 })
  const texts = ['One\r\ntwo\n \n\n three', 'One line', '<p>a\nb</p>', 'a &lt; b\nc']
  const own = { supplier_active: true, overrides: [] }
  try {
    await db.transaction().execute((trx) => migrateWithin(trx, '2026-11-28T1010-feed-content-type'))
    const edited = texts.map((description, index) => ({ ...own, name: 'P', slug: `p-${index}`, description }))
    const supplied = { ...own, name: 'S', slug: 's', external_id: 'S1', description: 'a\nb' }
    const overridden = { ...supplied, slug: 'o', external_id: 'S2', overrides: ['description' as const] }
    await db
      .insertInto('products')
      .values([...edited, supplied, overridden])
      .execute()
    await db.insertInto('brands').values({ name: 'B', slug: 'b', description: 'a\nb' }).execute()
    await db.transaction().execute((trx) => migrateWithin(trx))
    const rows = await db.selectFrom('products').select('description').orderBy('id').execute()
    expect(rows.map(({ description }) => description)).toEqual([
      ...sanitizeDescriptions(texts),
      'a\nb',
      '<p>a<br />b</p>',
    ])
    expect(await db.selectFrom('brands').select('description').execute()).toEqual([{ description: '<p>a<br />b</p>' }])
  } finally {
    await close()
    await drop()
  }
})
