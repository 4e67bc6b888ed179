import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, Tables, Trx } from '../database.ts'
import { onlyRow } from '../prepared.ts'
import { nameKey } from './catalogue/attributes.ts'

const BY_DISPLAY_ORDER = sql`display_order, id`
/** How records are listed; by default by id. */
const LIST_ORDER: { [Table in RecordTable]?: RawBuilder<unknown> } = {
  reviews: BY_DISPLAY_ORDER,
  banner_blocks: BY_DISPLAY_ORDER,
  feature_items: BY_DISPLAY_ORDER,
  license_prices: sql`start_date`,
  license_topups: sql`date desc, id desc`,
  app_config: sql`key`,
  attribute_rules: nameKey(sql`alias`),
}
/** Tables without a `version` whose records are updated. */
const UNVERSIONED: RecordTable[] = [
  'license_prices',
  'license_topups',
  'brands',
  'contact_requests',
  'users',
  'webhooks',
]
/** Tables whose rows have an id; and settings, which have a key. */
export type RecordTable =
  | {
      [Table in keyof Tables]: Selectable<Tables[Table]> extends { id: number } ? Table : never
    }[keyof Tables]
  | 'app_config'
export type RecordId<T extends RecordTable> = T extends 'app_config' ? string : number
export type RecordRow<T extends RecordTable> = Selectable<Tables[T]> &
  ({ id: number } | { key: string }) & { version?: number }
export type NewRecord<T extends RecordTable> = Insertable<Tables[T]>

function has(table: RecordTable, id: number | string) {
  return sql`${table === 'app_config' ? sql`key` : sql`id`} = ${id}`
}

export async function findRecord<T extends RecordTable>(
  db: Db,
  table: T,
  id: RecordId<T>,
): Promise<RecordRow<T> | undefined> {
  const { rows } = await sql<RecordRow<T>>`select * from ${sql.table(table)} where ${has(table, id)}`.execute(db)
  return rows[0]
}

/** Finds these records, in any order. */
export async function findRecords<T extends RecordTable>(
  db: Db,
  table: T,
  ids: number[],
): Promise<(RecordRow<T> & { id: number })[]> {
  const { rows } = await sql<RecordRow<T> & { id: number }>`
    select * from ${sql.table(table)} where id = any(${ids}::int[])`.execute(db)
  return rows
}

export async function lockRecord<T extends RecordTable>(
  trx: Trx,
  table: T,
  id: RecordId<T>,
): Promise<RecordRow<T> | undefined> {
  const { rows } = await sql<RecordRow<T>>`
    select * from ${sql.table(table)} where ${has(table, id)} for update`.execute(trx)
  return rows[0]
}

export async function listRecords<T extends RecordTable>(db: Db, table: T): Promise<RecordRow<T>[]> {
  const { rows } = await sql<RecordRow<T>>`
    select * from ${sql.table(table)} order by ${LIST_ORDER[table] ?? sql`id`}`.execute(db)
  return rows
}

/** Undefined fields get their defaults. */
export async function insertRecord<T extends RecordTable>(
  trx: Trx,
  table: T,
  values: NewRecord<T>,
): Promise<RecordRow<T>> {
  const fields = definedFields(values)
  const { rows } = await sql<RecordRow<T>>`
    insert into ${sql.table(table)} (${sql.join(fields.map(([name]) => sql.ref(name)))})
    values (${sql.join(fields.map(([, value]) => value))}) returning *`.execute(trx)
  return onlyRow(rows)
}

/**
 * Undefined fields keep their values. If none of the others differs, version and `updated_at` stay; without any they advance,
 * for a change of what belongs to the record.
 */
export async function updateRecord<T extends RecordTable>(
  trx: Trx,
  table: T,
  id: RecordId<T>,
  values: Partial<NewRecord<T>>,
): Promise<RecordRow<T>> {
  const fields = definedFields(values)
  const changes = fields.map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
  const differing = fields.map(([name, value]) => sql`${sql.ref(name)} is distinct from ${value}`)
  const isChanged = fields.length === 0 ? sql`true` : sql`(${sql.join(differing, sql` or `)})`
  if (!UNVERSIONED.includes(table)) changes.push(sql`version = version + ${isChanged}::int`)
  if (table !== 'webhooks') changes.push(sql`updated_at = case when ${isChanged} then now() else updated_at end`)
  const { rows } = await sql<RecordRow<T>>`
    update ${sql.table(table)} set ${sql.join(changes)}
    where ${has(table, id)} returning *`.execute(trx)
  return onlyRow(rows)
}

export async function deleteRecord<T extends RecordTable>(
  trx: Trx,
  table: T,
  id: RecordId<T>,
): Promise<RecordRow<T> | undefined> {
  const { rows } = await sql<RecordRow<T>>`
    delete from ${sql.table(table)} where ${has(table, id)} returning *`.execute(trx)
  return rows[0]
}

function definedFields(values: object): [string, unknown][] {
  return Object.entries(values).filter(([, value]) => value !== undefined)
}
