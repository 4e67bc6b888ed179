import type { Readable } from 'node:stream'
import { type Static, Type } from '@sinclair/typebox'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { connectionSettings } from '../database.ts'
import { onlyRow } from '../prepared.ts'

const CountedTable = Type.Object({
  name: Type.String(),
  /** Without generated columns, which the database computes again. */
  columns: Type.Array(Type.String()),
  rows: Type.Integer(),
  /** Of the copied columns of all rows, in whatever order they are stored. */
  digest: Type.String(),
})
type CountedTable = Static<typeof CountedTable>
type CopiedTable = Pick<CountedTable, 'name' | 'columns'>

/** What a backup contains beside the rows. */
export const DatabaseState = Type.Object({
  migrations: Type.Array(Type.String(), { minItems: 1 }),
  tables: Type.Array(CountedTable),
  /** Those that were used, with their last value. */
  sequences: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
})
export type DatabaseState = Static<typeof DatabaseState>

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
    const { rows: shops } = await client.query(`select from pg_tables where tablename = 'kysely_migration'`)
    if (shops.length === 0) throw new Error('The database contains no shop: nothing was backed up.')
    await client.query('begin isolation level repeatable read')
    // No migration commits from here on; the next query takes the snapshot.
    await client.query('lock table kysely_migration in share mode')
    const tables: CountedTable[] = []
    for (const table of await listTables(client)) {
      const copy = copyTo(`copy ${tableName(table)} (${columnList(table)}) to stdout with (format text)`)
      await onTable(table.name, client.query(copy))
      tables.push(await countTable(client, table))
    }
    const { rows: migrations } = await client.query<{ name: string }>('select name from kysely_migration')
    // Sequences are not part of a snapshot: read last, they are beyond all ids in it.
    const { rows: sequences } = await client.query<DatabaseState['sequences'][number]>(`
      select sequencename::text as name, last_value::text as value from pg_sequences
      where schemaname = current_schema() and last_value is not null order by 1`)
    return { migrations: migrations.map(({ name }) => name), tables, sequences }
  } finally {
    await client.end()
  }
}

/** Lists all tables of the shop, those of the migrations included. A crash empties unlogged ones, so they hold no data. */
export async function listTables(client: pg.ClientBase): Promise<CopiedTable[]> {
  const { rows } = await client.query<CopiedTable>(`
    select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind = 'r' and c.relpersistence = 'p'
      and c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
    group by c.oid, c.relname
    order by c.relname`)
  return rows
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

export function tableName({ name }: CopiedTable): string {
  return pg.escapeIdentifier(name)
}

export function columnList({ columns }: CopiedTable): string {
  return columns.map((column) => pg.escapeIdentifier(column)).join(', ')
}
