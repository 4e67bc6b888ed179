import type { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { connectionSettings } from '../database.ts'

type CopiedTable = {
  name: string
  /** Without generated columns, which the database computes again. */
  columns: string[]
}

type SequenceState = { name: string; value: string; isCalled: boolean }

/** What a backup contains beside the rows. */
export type DatabaseState = {
  migrations: string[]
  tables: (CopiedTable & { rows: number })[]
  sequences: SequenceState[]
}

/** Text has the same form on every server, and nothing times out. */
export const SESSION_SETTINGS = `
  set client_encoding = 'UTF8'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set timezone = 'UTC';
  set extra_float_digits = 1; set bytea_output = 'hex';
  set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0`

/** A migration may be running. It gives way first, so that the two can't deadlock (db/migrate.ts). */
const LOCK_TIMEOUT_MS = 60_000

/**
 * Reads all tables as they are at one moment, while the shop goes on writing.
 * @param onTable gets all rows of a table, in the text format of COPY
 * @throws Error if the database contains no shop
 */
export async function readSnapshot(
  databaseUrl: string,
  onTable: (name: string, rows: Readable) => Promise<void>,
): Promise<DatabaseState> {
  const client = new pg.Client(connectionSettings(databaseUrl, 0))
  // The query in progress rejects, too.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(SESSION_SETTINGS)
    const tables = await listTables(client)
    if (!tables.some(({ name }) => name === 'kysely_migration'))
      throw new Error('The database contains no shop: nothing was backed up.')
    await client.query('begin isolation level repeatable read read only')
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    // Locking takes no snapshot yet: that is of the moment when no migration can change the tables any more.
    await client.query(`lock table ${tables.map(tableName).join(', ')} in access share mode`)
    if (!isDeepStrictEqual(await listTables(client), tables))
      throw new Error('A migration changed the tables meanwhile: repeat the backup.')
    const copies = []
    for (const table of tables) {
      const rows = client.query(copyTo(`copy ${tableName(table)} (${columnList(table)}) to stdout with (format text)`))
      await onTable(table.name, rows)
      copies.push({ ...table, rows })
    }
    const { rows: applied } = await client.query<{ name: string }>('select name from kysely_migration order by name')
    const sequences = await listSequences(client)
    return {
      migrations: applied.map(({ name }) => name),
      // Known only now: the number of a copy's rows arrives after its last row.
      tables: copies.map(({ rows, ...table }) => ({ ...table, rows: rows.rowCount })),
      sequences,
    }
  } finally {
    await client.end()
  }
}

const NOT_OF_AN_EXTENSION = `not exists (
  select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`
const IN_CURRENT_SCHEMA = 'c.relnamespace = (select oid from pg_namespace where nspname = current_schema())'

/** Lists all tables from the catalogue of the database, those of the migrations included. */
export async function listTables(client: pg.ClientBase): Promise<CopiedTable[]> {
  const { rows } = await client.query<CopiedTable>(`
    select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind = 'r' and ${IN_CURRENT_SCHEMA} and ${NOT_OF_AN_EXTENSION}
    group by c.oid, c.relname
    order by c.relname`)
  return rows
}

/** Lists the tables, views and sequences of all schemas, except those of extensions. */
export async function listRelations(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select c.oid::regclass::text as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and n.nspname !~ '^(pg_|information_schema$)'
      and ${NOT_OF_AN_EXTENSION}
    order by 1`)
  return rows.map(({ name }) => name)
}

/** Reads the sequences, identity columns' included. They are not part of a snapshot, so read them after the rows. */
async function listSequences(client: pg.ClientBase): Promise<SequenceState[]> {
  const { rows: names } = await client.query<{ name: string }>(`
    select c.relname::text as name from pg_class c
    where c.relkind = 'S' and ${IN_CURRENT_SCHEMA} and ${NOT_OF_AN_EXTENSION}
    order by 1`)
  const states: SequenceState[] = []
  for (const { name } of names) {
    const text = `select last_value::text as value, is_called as "isCalled" from ${pg.escapeIdentifier(name)}`
    const { rows } = await client.query<{ value: string; isCalled: boolean }>(text)
    states.push(...rows.map((row) => ({ name, ...row })))
  }
  return states
}

export function tableName({ name }: CopiedTable): string {
  return pg.escapeIdentifier(name)
}

export function columnList({ columns }: CopiedTable): string {
  return columns.map((column) => pg.escapeIdentifier(column)).join(', ')
}
