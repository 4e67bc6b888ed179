import { expect, test } from 'vitest'
import { openDatabase } from '../../db/database.ts'
import { migrateWithin } from '../../db/migrate.ts'
import { createTestDatabase } from '../support/database.ts'

test.each([
  [true, null],
  [false, expect.any(Date)],
])(
  'has what was overridden (%j) read again, and lets it stand for the supplier’s until then',
  async (some, trusted) => {
    const { url, drop } = await createTestDatabase({ migrated: false })
    const { db, close } = openDatabase(url, () => {}, { max: 1 })
    const product = (n: number, overrides: ('name' | 'description' | 'categoryId')[]) => ({
      ...{ name: `Name ${n}`, slug: `p-${n}`, description: `Text ${n}`, external_id: `S${n}`, supplier_active: true },
      overrides,
    })
    try {
      await db.transaction().execute((trx) => migrateWithin(trx, '2026-11-28T1801-security-contact'))
      const overridden = [product(3, ['name']), product(4, ['description']), product(5, ['name', 'description'])]
      await db
        .insertInto('products')
        .values([product(1, []), product(2, ['categoryId']), ...(some ? overridden : [])])
        .execute()
      const load = { empty: false, trusted_at: new Date() }
      await db
        .insertInto('sync_full_loads')
        .values([
          { sync_type: 'PRODUCTS', ...load },
          { sync_type: 'BRANDS', ...load },
        ])
        .execute()
      await db
        .insertInto('sync_runs')
        .values({ status: 'RUNNING', trigger: 'MANUAL', started_at: new Date() })
        .execute()
      await db.transaction().execute((trx) => migrateWithin(trx))
      const columns = ['supplier_name', 'supplier_description'] as const
      const rows = await db.selectFrom('products').select(columns).orderBy('id').execute()
      expect(rows.map((row) => [row.supplier_name, row.supplier_description])).toEqual([
        [null, null],
        [null, null],
        ...(some
          ? [
              ['Name 3', null],
              [null, 'Text 4'],
              ['Name 5', 'Text 5'],
            ]
          : []),
      ])
      expect(
        await db.selectFrom('sync_full_loads').select('trusted_at').orderBy('sync_type', 'desc').execute(),
      ).toEqual([{ trusted_at: trusted }, { trusted_at: expect.any(Date) }])
      expect(await db.selectFrom('sync_runs').select('state_discarded').execute()).toEqual([{ state_discarded: some }])
    } finally {
      await close()
      await drop()
    }
  },
)
