import { type Insertable, type NotNull, sql, type Updateable } from 'kysely'
import type { ReviewIdentity } from '../../../src/rules/content.ts'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readPage, type SortOf, sorted } from '../../paging.ts'
import type { ContentTables, ReviewRow } from '../../tables/content.ts'

export type ReviewFilter = {
  active?: boolean | undefined
  ids?: number[] | undefined
  productId?: number | undefined
  /** Only those of no product. */
  ofShop?: boolean
}

export function listReviews(
  db: Db,
  filter: ReviewFilter,
  sort: SortOf<'reviews'>,
  page: PageRequest,
): Promise<PageOf<ReviewRow>> {
  return readPage(sorted(matching(db, filter), sort), page)
}

/** By display order. */
export function listAllReviews(db: Db): Promise<ReviewRow[]> {
  return matching(db, {}).orderBy('display_order').orderBy('id').execute()
}

function matching(db: Db, { active, ids, productId, ofShop }: ReviewFilter) {
  let query = db.selectFrom('reviews').selectAll()
  if (active !== undefined) query = query.where('active', '=', active)
  if (ids !== undefined) query = query.where('id', '=', sql<number>`any(${ids}::int[])`)
  if (productId !== undefined) query = query.where('product_id', '=', productId)
  if (ofShop) query = query.where('product_id', 'is', null)
  return query
}

export function findReview(db: Db, id: number): Promise<ReviewRow | undefined> {
  return db.selectFrom('reviews').selectAll().where('id', '=', id).executeTakeFirst()
}

export function lockReview(trx: Trx, id: number): Promise<ReviewRow | undefined> {
  return trx.selectFrom('reviews').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function insertReview(trx: Trx, values: Insertable<ContentTables['reviews']>): Promise<ReviewRow> {
  return trx.insertInto('reviews').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Undefined columns keep their values. */
export function updateReview(trx: Trx, id: number, values: Updateable<ContentTables['reviews']>): Promise<ReviewRow> {
  return trx
    .updateTable('reviews')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteReview(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('reviews').where('id', '=', id).execute()
}

export type ImportedReview = ReviewIdentity & {
  /** Null: a new review. */
  id: number | null
  rating: number
  active: boolean
  displayOrder: number
}

/** The reviews that have the id or the identity of a given one with an id. */
export function findAlike(db: Db, given: (ReviewIdentity & { id: number | null })[]): Promise<ReviewRow[]> {
  const sent = given.filter(({ id }) => id !== null)
  const productId = sql<number>`coalesce(product_id, 0)`
  return db
    .with(
      (cte) => cte('given').materialized(),
      (cte) =>
        cte
          .selectFrom(recordsOf(sent))
          .select(['id', 'author', 'text', 'reviewDate as review_date', 'productId as product_id']),
    )
    .selectFrom('reviews')
    .selectAll()
    .where(({ eb, or, refTuple, selectFrom }) => {
      const identities = selectFrom('given')
        .select(['given.author', 'given.text', 'given.review_date', productId.as('product')])
        .$asTuple('author', 'text', 'review_date', 'product')
      return or([
        eb('id', 'in', selectFrom('given').select('given.id').$narrowType<{ id: NotNull }>()),
        eb(refTuple('author', 'text', 'review_date', productId), 'in', identities),
      ])
    })
    .orderBy('display_order')
    .orderBy('id')
    .execute()
}

/** Inserts the new reviews and replaces the others. @returns the ids of all */
export async function writeReviews(trx: Trx, reviews: ImportedReview[]): Promise<number[]> {
  const rows = await trx
    .insertInto('reviews')
    .columns(['id', 'author', 'rating', 'text', 'review_date', 'product_id', 'active', 'display_order'])
    .expression(({ selectFrom }) =>
      selectFrom(recordsOf(reviews))
        .select(sql`coalesce(id, nextval(pg_get_serial_sequence('reviews', 'id'))::int)`.as('id'))
        .select(['author', 'rating', 'text', 'reviewDate', 'productId', 'active', 'displayOrder']),
    )
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ eb, ref }) => ({
        author: ref('excluded.author'),
        rating: ref('excluded.rating'),
        text: ref('excluded.text'),
        review_date: ref('excluded.review_date'),
        product_id: ref('excluded.product_id'),
        active: ref('excluded.active'),
        display_order: ref('excluded.display_order'),
        version: eb('reviews.version', '+', 1),
        updated_at: sql`now()`,
      })),
    )
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The reviews as rows; a member that one doesn't have is null. */
function recordsOf(reviews: Partial<ImportedReview>[]) {
  return sql<ImportedReview>`jsonb_to_recordset(${JSON.stringify(reviews)}::jsonb)`.as<'sent'>(
    sql`sent (id int, author text, rating int, text text, "reviewDate" date, "productId" int, active boolean,
      "displayOrder" int)`,
  )
}

/** Keeps others from writing reviews until the transaction ends. */
export async function lockReviews(trx: Trx): Promise<void> {
  // In `sql`, because the builder has no LOCK TABLE.
  await sql`lock table reviews in share row exclusive mode`.execute(trx)
}
