import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { type Db, openDatabase } from '../../db/database.ts'
import { databaseFault } from '../../db/errors.ts'
import { createBrand, createCategory, createManyProducts } from './factories.ts'

type TestDatabase = { url: string; drop(): Promise<void> }

/** Key of the advisory lock for building the large template. */
const LARGE_LOCK = 1

/** Creates a database with the current schema. */
export function createTestDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  return clone(migrated ? 'template_shop' : 'template0')
}

/**
 * Creates a database with 50 000 products in 20 categories and of 30 brands, one in fifty of them inactive; ids start at
 * 1. The first test file that needs one builds the template; others wait for it.
 */
export async function createLargeDatabase(): Promise<TestDatabase> {
  await onServer(async (admin) => {
    await admin.query('select pg_advisory_lock($1)', [LARGE_LOCK])
    try {
      const { rowCount } = await admin.query(`select from pg_database where datname = 'template_large'`)
      if (rowCount === 0) await buildLargeTemplate(admin)
    } finally {
      await admin.query('select pg_advisory_unlock($1)', [LARGE_LOCK])
    }
  })
  return clone('template_large')
}

/** Uses another name until the template is complete. A template can't be cloned while a client is connected. */
async function buildLargeTemplate(admin: pg.ClientBase): Promise<void> {
  const name = 'large_being_built'
  await admin.query(`drop database if exists ${name} with (force)`)
  const { url } = await clone('template_shop', name)
  const { db, close } = openDatabase(url, () => {}, { max: 1, queryTimeoutMs: 0 })
  try {
    const categories: number[] = []
    for (let n = 0; n < 20; n++) categories.push(await createCategory(db))
    const brands: number[] = []
    for (let n = 0; n < 30; n++) brands.push(await createBrand(db))
    await createManyProducts(db, 50_000, categories, brands)
    await sql`update products set active_override = false where id % 50 = 0`.execute(db)
    await vacuum(db, 'products')
  } finally {
    await close()
  }
  await admin.query(`alter database ${name} allow_connections false`)
  await admin.query(`alter database ${name} rename to template_large`)
}

/**
 * Vacuums and analyzes tables. Repeats until all pages are visible, for index-only scans: rows don't count as committed for
 * a vacuum before their commit was flushed, which the server of the tests doesn't wait for. Without `index_cleanup`, a few
 * dead rows that the first vacuum missed would never be removed.
 */
export async function vacuum(db: Db, ...tables: string[]): Promise<void> {
  for (const table of tables) {
    for (let isWhole = false; !isWhole; ) {
      await sql`vacuum (analyze, index_cleanup on) ${sql.table(table)}`.execute(db)
      const { rows } = await sql<{ whole: boolean }>`
        select relallvisible >= relpages as whole from pg_class where oid = ${table}::regclass`.execute(db)
      isWhole = rows[0]?.whole === true
    }
  }
}

/**
 * Empties comma-separated tables and those that reference them. Retries deadlocks with a running shop, which locks tables
 * in another order.
 */
export async function emptyTables(db: Db, names: string): Promise<void> {
  for (let isDone = false; !isDone; ) {
    isDone = await sql`truncate ${sql.raw(names)} cascade`.execute(db).then(
      () => true,
      (error: unknown) => {
        if (databaseFault(error) !== 'RETRYABLE') throw error
        return false
      },
    )
  }
}

async function clone(template: string, name = `test_${randomUUID().replaceAll('-', '')}`): Promise<TestDatabase> {
  await onServer((admin) => admin.query(`create database ${name} template ${template} strategy file_copy`))
  const url = new URL(inject('databaseServer'))
  url.pathname = `/${name}`
  return {
    url: url.href,
    drop: () => onServer((admin) => admin.query(`drop database if exists ${name} with (force)`)),
  }
}

/** Of all test files of a worker; doesn't keep it alive. */
let pool: pg.Pool | undefined

async function onServer(work: (admin: pg.ClientBase) => Promise<unknown>): Promise<void> {
  const url = new URL(inject('databaseServer'))
  url.pathname = '/postgres'
  pool ??= new pg.Pool({ connectionString: url.href, idleTimeoutMillis: 0, allowExitOnIdle: true })
  const admin = await pool.connect()
  try {
    await work(admin)
  } finally {
    admin.release()
  }
}
