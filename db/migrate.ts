import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { FileMigrationProvider, type Migration, Migrator } from 'kysely/migration'
import type pg from 'pg'
import { type Db, openDatabase, type Trx } from './database.ts'
import { databaseFault } from './errors.ts'
import { LOCKS } from './locks.ts'
import { BASELINE, LAST_OF_0_1, migrationsOf01, up as upgradeFrom01 } from './upgrade.ts'

const FOLDER = path.join(import.meta.dirname, 'migrations')

/**
 * How long a migration waits for a lock that requests hold, while all later requests wait behind it. Less than
 * PostgreSQL's `deadlock_timeout` (1 s), so that a deadlock ends the migration and never a request.
 */
const LOCK_TIMEOUT_MS = 500
const RETRY_MS = 1000

/**
 * Brings the schema up to date with the files of db/migrations, in the order of their names. Instances that start together
 * wait for each other; a failed migration is rolled back. One that can't get its locks gives way to the requests of running
 * instances and is repeated. Released migrations are never edited or renamed.
 * @param onLocked called before each repetition
 * @returns the names of the migrations it applied
 * @throws the failed migration's error, that of a pooler in transaction mode, or that of a schema older than the last of 0.1.0
 */
export async function migrate(databaseUrl: string, onLocked = (_error: unknown) => {}): Promise<string[]> {
  const options = { max: 3, queryTimeoutMs: 0, lockTimeoutMs: LOCK_TIMEOUT_MS }
  const { db, pool, close } = openDatabase(databaseUrl, () => {}, options)
  try {
    await requireSessions(pool)
    const lock = await waitForOthers(pool)
    try {
      const migrator = new Migrator({ db, provider: { getMigrations: () => loadPending(db) } })
      while (true) {
        const { error, results } = await migrator.migrateToLatest()
        if (!error) return (results ?? []).map((result) => result.migrationName)
        if (!['LOCKED', 'RETRYABLE'].includes(databaseFault(error) ?? '')) throw error
        onLocked(error)
        await delay(RETRY_MS)
      }
    } finally {
      lock.release(true)
    }
  } finally {
    await close()
  }
}

/**
 * Acquires the lock of migrations on a connection, which has to be closed. The migrator's own lock comes too late: before it,
 * the migrator reads the columns of all tables, which fails while another instance drops one.
 */
async function waitForOthers(pool: pg.Pool): Promise<pg.PoolClient> {
  const session = await pool.connect()
  await session.query('set lock_timeout = 0')
  await session.query('select pg_advisory_lock($1)', [LOCKS.migrations])
  return session
}

/** Sessions have to keep their locks and to hear notifications, else syncs would overlap and caches become stale. */
async function requireSessions(pool: pg.Pool): Promise<void> {
  const session = await pool.connect()
  let isHeard = false
  session.once('notification', () => {
    isHeard = true
  })
  try {
    await session.query('listen shop_start')
    await pool.query('notify shop_start')
    // A session gets its notifications before the next response.
    await session.query('select')
  } finally {
    session.release(true)
  }
  if (isHeard) return
  throw Object.assign(new Error('a pooler in transaction mode loses notifications'), { code: 'POOLER' })
}

/**
 * Loads only the migrations that aren't applied. Those that a newer version has applied are known by name: without them the
 * migrator would refuse to run, and an old instance could neither restart during a rolling update nor replace a newer one
 * after it.
 */
async function loadPending(db: Db): Promise<Record<string, Migration>> {
  const own = await listMigrations()
  const last = own.at(-1) ?? ''
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const names = rows.map(({ name }) => name)
  const replaced = migrationsOf01(names)
  if (replaced === 'SOME') throw outdated()
  if (replaced === 'ALL') return loadUpgrade(names, own)
  const applied = names.filter((name) => own.includes(name) || name > last)
  return { ...known(applied), ...(await load(own.filter((name) => !applied.includes(name)))) }
}

/** The first migration of the baseline upgrades the schema of 0.1.0; the migrator records the others as applied. */
async function loadUpgrade(names: string[], own: string[]): Promise<Record<string, Migration>> {
  const [first, ...others] = BASELINE
  const newer = own.filter((name) => name !== first && !others.some((other) => other === name))
  return { ...known([...names, ...others]), [first]: { up: upgradeFrom01 }, ...(await load(newer)) }
}

function known(names: string[]): Record<string, Migration> {
  return Object.fromEntries(names.map((name): [string, Migration] => [name, { async up() {} }]))
}

function outdated(): Error {
  const reason = `its schema is older than the last migration of 0.1.0, ${LAST_OF_0_1}`
  return Object.assign(new Error(reason), { code: 'OUTDATED' })
}

function load(names: string[]): Promise<Record<string, Migration>> {
  const fs = { readdir: async () => names.map((name) => `${name}.ts`) }
  return new FileMigrationProvider({ fs, path, migrationFolder: FOLDER }).getMigrations()
}

/**
 * Applies the migrations of this version within a transaction, which keeps the migrator's lock until its end.
 * @param last the last one to apply; by default the newest
 */
export async function migrateWithin(tx: Trx, last?: string): Promise<string[]> {
  const migrator = new Migrator({ db: tx, provider: { getMigrations: () => loadPending(tx) } })
  const { error, results } = last ? await migrator.migrateTo(last) : await migrator.migrateToLatest()
  if (error) throw error
  return (results ?? []).map((result) => result.migrationName)
}

/** Lists the names of this version's migrations in their order. */
export async function listMigrations(): Promise<string[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.ts'))
  return files.map((file) => path.basename(file, '.ts')).sort()
}
