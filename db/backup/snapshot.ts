import type { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { connectionSettings } from '../database.ts'
import { onlyRow } from '../prepared.ts'

type CopiedTable = {
  name: string
  /** Without generated columns, which the database computes again. */
  columns: string[]
}

type SequenceState = { name: string; value: string; isCalled: boolean }

type CountedTable = CopiedTable & {
  rows: number
  /** Of the copied columns of all rows, in whatever order they are stored. */
  digest: string
}

/** What a backup contains beside the rows. */
export type DatabaseState = { migrations: string[]; tables: CountedTable[]; sequences: SequenceState[] }

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
    const counted: CountedTable[] = []
    for (const table of tables) {
      const copy = copyTo(`copy ${tableName(table)} (${columnList(table)}) to stdout with (format text)`)
      await onTable(table.name, client.query(copy))
      counted.push(await countTable(client, table))
    }
    const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name')
    return { migrations: rows.map(({ name }) => name), tables: counted, sequences: await listSequences(client) }
  } finally {
    await client.end()
  }
}

const NOT_OF_AN_EXTENSION = `not exists (
  select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`
const IN_CURRENT_SCHEMA = 'c.relnamespace = (select oid from pg_namespace where nspname = current_schema())'

/** Lists all tables of the database, those of the migrations included. A crash empties unlogged ones, so they hold no data. */
export async function listTables(client: pg.ClientBase): Promise<CopiedTable[]> {
  const { rows } = await client.query<CopiedTable>(`
    select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind = 'r' and c.relpersistence = 'p' and ${IN_CURRENT_SCHEMA} and ${NOT_OF_AN_EXTENSION}
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

/** Counts the rows of a table, and sums hashes of them. */
export async function countTable(client: pg.ClientBase, { name, columns }: CopiedTable): Promise<CountedTable> {
  const table = { name, columns }
  const hash = `encode(sha256(convert_to(row(${columnList(table)})::text, 'UTF8')), 'hex')`
  const { rows } = await client.query<{ rows: number; digest: string }>(`
    select count(*) as rows, coalesce(sum(('x' || left(${hash}, 16))::bit(64)::bigint::numeric), 0)::text as digest
    from ${tableName(table)}`)
  return { ...table, ...onlyRow(rows) }
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
