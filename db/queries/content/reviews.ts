import { sql } from 'kysely'
import type { ReviewIdentity } from '../../../src/rules/content.ts'
import type { Sort } from '../../../src/rules/lists.ts'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readPage, sorted } from '../../paging.ts'
import type { ReviewRow } from '../../tables/content.ts'

export type ReviewFilter = { active: boolean | undefined; productId: number | undefined }

export function listReviews(
  db: Db,
  filter: ReviewFilter,
  sort: Sort<keyof ReviewRow>,
  page: PageRequest,
): Promise<PageOf<ReviewRow>> {
  return readPage(sorted(matching(db, filter), sort), page)
}

/** Lists all matching reviews by display order. */
export function listAllReviews(db: Db, filter: ReviewFilter): Promise<ReviewRow[]> {
  return matching(db, filter).orderBy('display_order').orderBy('id').execute()
}

function matching(db: Db, { active, productId }: ReviewFilter) {
  let query = db.selectFrom('reviews').selectAll()
  if (active !== undefined) query = query.where('active', '=', active)
  if (productId !== undefined) query = query.where('product_id', '=', productId)
  return query
}

export type ImportedReview = ReviewIdentity & {
  /** Null: a new review. */
  id: number | null
  rating: number
  active: boolean
  displayOrder: number
}

export type ImportOutcome = {
  id: number
  outcome: 'CREATED' | 'UPDATED' | 'UNCHANGED'
  /** Those that the review was and is about. */
  products: number[]
}

/**
 * Writes the reviews that differ from the stored ones of their ids.
 * @returns the outcome of each review, in order
 */
export async function importReviews(trx: Trx, reviews: ImportedReview[]): Promise<ImportOutcome[]> {
  const { rows } = await sql<ImportOutcome>`
    with incoming as materialized (
      select coalesce(id, nextval(pg_get_serial_sequence('reviews', 'id'))::int) as id, author, rating, text,
        "reviewDate" as review_date, "productId" as product_id, active, "displayOrder" as display_order, position
      from rows from (jsonb_to_recordset(${JSON.stringify(reviews)}::jsonb) as (
        id int, author text, rating int, text text, "reviewDate" date, "productId" int, active boolean,
        "displayOrder" int
      )) with ordinality as i (id, author, rating, text, "reviewDate", "productId", active, "displayOrder", position)
    ), known as materialized (
      select i.id, r.product_id, (r.author, r.rating, r.text, r.review_date, r.product_id, r.active, r.display_order)
        is distinct from (i.author, i.rating, i.text, i.review_date, i.product_id, i.active, i.display_order) as differs
      from incoming i join reviews r on r.id = i.id
    ), created as (
      insert into reviews (id, author, rating, text, review_date, product_id, active, display_order)
      select id, author, rating, text, review_date, product_id, active, display_order
      from incoming where id not in (select id from known)
    ), updated as (
      update reviews r
      set author = i.author, rating = i.rating, text = i.text, review_date = i.review_date,
        product_id = i.product_id, active = i.active, display_order = i.display_order,
        version = version + 1, updated_at = now()
      from incoming i join known k on k.id = i.id and k.differs
      where r.id = i.id
    )
    select i.id, case when k.id is null then 'CREATED' when k.differs then 'UPDATED' else 'UNCHANGED' end as outcome,
      array_remove(array[k.product_id, i.product_id], null) as products
    from incoming i left join known k on k.id = i.id
    order by position`.execute(trx)
  return rows
}

export function readIdentities(db: Db): Promise<(ReviewIdentity & { id: number })[]> {
  return db
    .selectFrom('reviews')
    .select(['id', 'author', 'text', 'review_date as reviewDate', 'product_id as productId'])
    .orderBy('id')
    .execute()
}

/** Keeps others from writing reviews until the transaction ends. */
export async function lockReviews(trx: Trx): Promise<void> {
  await sql`lock table reviews in share row exclusive mode`.execute(trx)
}
