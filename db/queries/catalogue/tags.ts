import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { prepared } from '../../prepared.ts'
import type { CatalogueTables } from '../../tables/catalogue.ts'

export type TagRow = Selectable<CatalogueTables['tags']> & {
  /** Active products with the tag. */
  product_count: number
}

const withCounts = sql`
  select tags.*, (
    select count(*) from product_tags
    where tag_id = tags.id and product_id in (select id from products where active)
  )::int as product_count
  from tags`

export async function listTags(db: Db): Promise<TagRow[]> {
  const { rows } = await sql<TagRow>`${withCounts} order by name collate "ru-x-icu", id`.execute(db)
  return rows
}

export async function findTag(db: Db, id: number): Promise<TagRow | undefined> {
  const { rows } = await sql<TagRow>`${withCounts} where id = ${id}`.execute(db)
  return rows[0]
}

/** @param staff whether those of a disabled tag are listed, too */
export async function listTaggedProducts(db: Db, id: number, staff: boolean): Promise<number[]> {
  const query = sql<{ product_id: number }>`
    select p.product_id from product_tags p join tags t on t.id = p.tag_id
    where p.tag_id = ${id} and (t.enabled or ${staff})`
  const rows = await prepared(db, query)
  return rows.map(({ product_id }) => product_id)
}

export function lockTag(trx: Trx, id: number): Promise<Selectable<CatalogueTables['tags']> | undefined> {
  return trx.selectFrom('tags').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export async function insertTag(trx: Trx, values: Insertable<CatalogueTables['tags']>): Promise<void> {
  await trx.insertInto('tags').values(values).execute()
}

/** Undefined columns keep their values. */
export async function updateTag(trx: Trx, id: number, values: Updateable<CatalogueTables['tags']>): Promise<void> {
  await trx
    .updateTable('tags')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()
}

export async function deleteTag(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('tags').where('id', '=', id).execute()
}
