import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { anyOf, prepared } from '../../prepared.ts'
import type { CatalogueTables } from '../../tables/catalogue.ts'

/** `product_count`: active products with the tag. */
function tagRows(db: Db) {
  return db
    .selectFrom('tags')
    .selectAll('tags')
    .select((eb) =>
      eb
        .selectFrom('product_tags')
        .select(eb.fn.countAll<number>().as('count'))
        .whereRef('product_tags.tag_id', '=', 'tags.id')
        .where('product_id', 'in', eb.selectFrom('products').select('id').where('active', '=', true))
        .$asScalar()
        .$notNull()
        .as('product_count'),
    )
}

export type TagRow = Awaited<ReturnType<typeof listTags>>[number]

export function listTags(db: Db) {
  return tagRows(db)
    .orderBy('tags.name', (name) => name.collate('ru-x-icu'))
    .orderBy('tags.id')
    .execute()
}

export function findTag(db: Db, id: number) {
  return tagRows(db).where('tags.id', '=', id).executeTakeFirst()
}

/** @param staff whether those of a disabled tag are listed, too */
export async function listTaggedProducts(db: Db, tagIds: number[], staff: boolean) {
  const query = db
    .selectFrom('product_tags')
    .innerJoin('tags', 'tags.id', 'product_tags.tag_id')
    .select('product_tags.product_id')
    .distinct()
    .where('product_tags.tag_id', '=', anyOf(tagIds))
    .where((eb) => eb.or([eb.ref('tags.enabled'), eb.val(staff)]))
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
