import { sql } from 'kysely'
import type { ReviewIdentity } from '../../../src/rules/content.ts'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readPage, type SortOf, sorted } from '../../paging.ts'
import type { ReviewRow } from '../../tables/content.ts'

export type ReviewFilter = { active: boolean | undefined; productId: number | undefined }

export function listReviews(
  db: Db,
  filter: ReviewFilter,
  sort: SortOf<'reviews'>,
  page: PageRequest,
): Promise<PageOf<ReviewRow>> {
  return readPage(sorted(matching(db, filter), sort), page)
}

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

/** The reviews that have the id or the identity of a given one with an id. */
export async function findAlike(db: Db, given: (ReviewIdentity & { id: number | null })[]): Promise<ReviewRow[]> {
  const sent = given.filter(({ id }) => id !== null)
  const columns = sql`author, text, review_date, coalesce(product_id, 0)`
  const { rows } = await sql<ReviewRow>`
    with given as materialized (
      select id, author, text, "reviewDate" as review_date, "productId" as product_id
      from jsonb_to_recordset(${JSON.stringify(sent)}::jsonb) as i (id int, author text, text text, "reviewDate" date,
        "productId" int)
    )
    select * from reviews
    where id in (select id from given) or (${columns}) in (select ${columns} from given)
    order by display_order, id`.execute(db)
  return rows
}

/** Inserts the new reviews and replaces the others. @returns the ids of all */
export async function writeReviews(trx: Trx, reviews: ImportedReview[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    insert into reviews as r (id, author, rating, text, review_date, product_id, active, display_order)
    select coalesce(id, nextval(pg_get_serial_sequence('reviews', 'id'))::int), author, rating, text, "reviewDate",
      "productId", active, "displayOrder"
    from jsonb_to_recordset(${JSON.stringify(reviews)}::jsonb) as i (id int, author text, rating int, text text,
      "reviewDate" date, "productId" int, active boolean, "displayOrder" int)
    on conflict (id) do update set author = excluded.author, rating = excluded.rating, text = excluded.text,
      review_date = excluded.review_date, product_id = excluded.product_id, active = excluded.active,
      display_order = excluded.display_order, version = r.version + 1, updated_at = now()
    returning id`.execute(trx)
  return rows.map(({ id }) => id)
}

/** Keeps others from writing reviews until the transaction ends. */
export async function lockReviews(trx: Trx): Promise<void> {
  await sql`lock table reviews in share row exclusive mode`.execute(trx)
}
