import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { openDatabase } from '../database.ts'
import { listMigrations, migrateWithin } from '../migrate.ts'
import { BASELINE, down as downgradeTo01, LAST_OF_0_1, migrationsOf01 } from '../upgrade.ts'
import { columnList, countTable, type DatabaseState, listTables, tableName } from './snapshot.ts'

/** Copies rows in the text format of COPY into a table; may be called repeatedly for one. */
type CopyRows = (table: string, rows: Readable) => Promise<void>
/** Copies the rows of all tables. */
type LoadRows = (copy: CopyRows) => Promise<void>

/**
 * Creates the schema in an empty database, loads the rows, checks them, and migrates on to the present. All of it is one
 * transaction: a failed or killed attempt leaves nothing behind, and a shop that starts meanwhile waits for it.
 * @returns the migrations that the backup didn't have yet
 * @throws Error if the database isn't empty, the backup is of a newer product or older than the last of 0.1.0, or the rows differ from the backup's
 */
export async function loadDatabase(databaseUrl: string, state: DatabaseState, load: LoadRows): Promise<string[]> {
  const { db, pool, close } = openDatabase(databaseUrl, () => {}, { max: 1, queryTimeoutMs: 0 })
  try {
    const connected = once(pool, 'connect')
    return await db.transaction().execute(async (tx) => {
      const [client]: pg.PoolClient[] = await connected
      if (!client) throw new Error('There is no connection')
      await refuseUnlessEmpty(client)
      await refuseUnlessKnown(state.migrations)
      const isOf01 = migrationsOf01(state.migrations) === 'ALL'
      // Databases sort names differently.
      const migrations = isOf01 ? [...BASELINE] : state.migrations.toSorted()
      const created = await migrateWithin(tx, migrations.at(-1))
      if (!isDeepStrictEqual(created, migrations))
        throw new Error('A shop has just been started on the database: stop it, and restore into an empty one.')
      if (isOf01) await downgradeTo01(tx)
      await refuseForeign(client, state)
      await fillTables(client, state, load)
      const migrated = await migrateWithin(tx)
      // The planner has no statistics of the rows yet. The commit comes last: after a failure nothing is restored.
      await client.query('analyze')
      return migrated
    })
  } finally {
    await close()
  }
}

async function refuseUnlessEmpty(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables order by 1`,
  )
  const [first] = rows
  if (first) throw new Error(`The database is not empty, it contains ${first.name}: restore into a new one.`)
}

async function refuseUnlessKnown(migrations: string[]): Promise<void> {
  const replaced = migrationsOf01(migrations)
  if (replaced === 'ALL') return
  if (replaced === 'SOME') {
    throw new Error(
      `The backup is older than the last migration of 0.1.0, ${LAST_OF_0_1}: restore it with the last 0.1.0, start that, and back up again.`,
    )
  }
  const known = await listMigrations()
  const unknown = migrations.filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  throw new Error(
    `The backup is of another version of the shop, whose migrations this one doesn't have (${unknown.join(', ')}): install that version or a newer one.`,
  )
}

/** A backup may come from anywhere: it names only tables, columns and sequences of the shop. */
async function refuseForeign(client: pg.PoolClient, { tables, sequences }: DatabaseState): Promise<void> {
  const known = new Map((await listTables(client)).map(({ name, columns }) => [name, columns]))
  for (const { name, columns } of tables) {
    const unknown = columns.filter((column) => !known.get(name)?.includes(column))
    if (!known.has(name)) throw new Error(`The backup has an unknown table ${name}.`)
    if (unknown.length > 0)
      throw new Error(`The backup has unknown columns of the table ${name}: ${unknown.join(', ')}.`)
  }
  const { rows } = await client.query<{ name: string }>(
    'select sequencename::text as name from pg_sequences where schemaname = current_schema()',
  )
  const unknown = sequences.find(({ name }) => !rows.some((sequence) => sequence.name === name))
  if (unknown) throw new Error(`The backup has an unknown sequence ${unknown.name}.`)
}

/** Foreign keys are created again after the rows, so that the order of the tables doesn't matter. */
async function fillTables(client: pg.PoolClient, { tables, sequences }: DatabaseState, load: LoadRows): Promise<void> {
  const { rows: foreignKeys } = await client.query<{ table: string; name: string; definition: string }>(`
    select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f' and connamespace = (select oid from pg_namespace where nspname = current_schema())`)
  for (const { table, name } of foreignKeys) await client.query(`alter table ${table} drop constraint ${name}`)
  // Migrations insert rows, too.
  await client.query(`truncate ${(await listTables(client)).map(tableName).join(', ')}`)
  // A superuser could write to the system's catalogues.
  const { rows: superusers } = await client.query(`select where current_setting('is_superuser') = 'on'`)
  if (superusers.length > 0) await client.query('set local role pg_write_all_data')
  await load(async (name, rows) => {
    const table = tables.find((one) => one.name === name)
    if (!table) throw new Error(`The backup has rows of an unknown table ${name}.`)
    const copy = copyFrom(`copy ${tableName(table)} (${columnList(table)}) from stdin with (format text)`)
    await pipeline(rows, client.query(copy))
  })
  await client.query('reset role')
  for (const table of tables) {
    if (!isDeepStrictEqual(await countTable(client, table), table))
      throw new Error(`Table ${table.name} has other rows than it had when it was backed up.`)
  }
  for (const { name, value } of sequences) {
    await client.query('select setval($1::regclass, $2)', [pg.escapeIdentifier(name), value])
  }
  for (const { table, name, definition } of foreignKeys) {
    await client.query(`alter table ${table} add constraint ${name} ${definition}`)
  }
}
