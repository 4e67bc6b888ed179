import { expect, test } from 'vitest'
import { openDatabase } from '../../db/database.ts'
import { listMigrations, migrate, migrateWithin } from '../../db/migrate.ts'
import { createTestDatabase } from '../support/database.ts'

test('gives the brands of a running shop their slugs', async () => {
  const migrations = await listMigrations()
  const previous = migrations[migrations.findIndex((name) => name.endsWith('-brand-pages')) - 1]
  const { url, drop } = await createTestDatabase({ migrated: false })
  const { db, close } = openDatabase(url, () => {})
  try {
    await db.transaction().execute((tx) => migrateWithin(tx, previous))
    const names = ['Зубр & Co', 'Щука-Цех', 'Ёж', 'Müller', "L'Oréal", 'A.B.C', '3М', 'X'.repeat(500)]
    const same = ['acme', 'ACME', 'Acme 2', 'acme', '★']
    for (const name of [...names, ...same]) await db.insertInto('brands').values({ name }).execute()
    await migrate(url)
    const brands = await db.selectFrom('brands').select(['id', 'name', 'slug']).orderBy('id').execute()
    const slugs = brands.map(({ slug }) => slug)
    expect(slugs).toEqual([
      ...['zubr-and-co', 'schuka-tsekh', 'yozh', 'muller', 'l-oreal', 'a-b-c', '3m', 'x'.repeat(110)],
      ...['acme', 'acme-2', 'acme-2-2', 'acme-3', `brand-${brands.at(-1)?.id}`],
    ])
    const history = await db
      .selectFrom('slug_history')
      .select(['kind', 'slug', 'entity_id', 'base', 'suffix'])
      .orderBy('entity_id')
      .execute()
    expect(history.map(({ entity_id, slug }) => ({ id: entity_id, slug }))).toEqual(
      brands.map(({ id, slug }) => ({ id, slug })),
    )
    expect(history).toContainEqual({
      kind: 'brand',
      slug: 'acme-2-2',
      entity_id: brands[10]?.id,
      base: 'acme-2',
      suffix: 2,
    })
  } finally {
    await close()
    await drop()
  }
})
