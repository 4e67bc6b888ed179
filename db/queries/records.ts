import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tables, Trx } from '../database.ts'

/** Tables of records that staff put in order. */
export type OrderedTable = 'reviews' | 'banner_blocks' | 'feature_items'
/** Tables of single records that staff edit, each with a `version` that counts its changes. */
export type RecordTable =
  | OrderedTable
  | 'tags'
  | 'category_regex_filters'
  | 'attribute_rules'
  | 'product_image_overrides'
export type RecordRow<T extends RecordTable> = Selectable<Tables[T]> & { id: number; version: number }

export async function findRecord<T extends RecordTable>(
  db: Db,
  table: T,
  id: number,
): Promise<RecordRow<T> | undefined> {
  const { rows } = await sql<RecordRow<T>>`select * from ${sql.table(table)} where id = ${id}`.execute(db)
  return rows[0]
}

export async function lockRecord<T extends RecordTable>(
  trx: Trx,
  table: T,
  id: number,
): Promise<RecordRow<T> | undefined> {
  const { rows } = await sql<RecordRow<T>>`
    select * from ${sql.table(table)} where id = ${id} for update`.execute(trx)
  return rows[0]
}

/** In the order in which they are shown. */
export async function listRecords<T extends OrderedTable>(db: Db, table: T): Promise<RecordRow<T>[]> {
  const { rows } = await sql<RecordRow<T>>`
    select * from ${sql.table(table)} order by display_order, id`.execute(db)
  return rows
}

/** The id of a record that is about to be inserted, for what needs it before. */
export async function nextRecordId(trx: Trx, table: RecordTable): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence(${table}, 'id'))::int as id`.execute(trx)
  return firstOf(rows).id
}

/** Undefined fields get their defaults. */
export async function insertRecord<T extends RecordTable>(
  trx: Trx,
  table: T,
  values: Insertable<Tables[T]>,
): Promise<RecordRow<T>> {
  const fields = definedFields(values)
  const { rows } = await sql<RecordRow<T>>`
    insert into ${sql.table(table)} (${sql.join(fields.map(([name]) => sql.ref(name)))})
    values (${sql.join(fields.map(([, value]) => value))}) returning *`.execute(trx)
  return firstOf(rows)
}

/** Undefined fields stay as they are. */
export async function updateRecord<T extends RecordTable>(
  trx: Trx,
  table: T,
  id: number,
  values: Updateable<Tables[T]>,
): Promise<RecordRow<T>> {
  const changes = definedFields(values).map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
  const { rows } = await sql<RecordRow<T>>`
    update ${sql.table(table)}
    set ${sql.join([...changes, sql`version = version + 1`, sql`updated_at = now()`])}
    where id = ${id} returning *`.execute(trx)
  return firstOf(rows)
}

export async function deleteRecord(trx: Trx, table: RecordTable, id: number): Promise<void> {
  await sql`delete from ${sql.table(table)} where id = ${id}`.execute(trx)
}

function definedFields(values: object): [string, unknown][] {
  return Object.entries(values).filter(([, value]) => value !== undefined)
}

function firstOf<Row>(rows: Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('The record was not written')
  return row
}
