import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { violates } from '../../../db/errors.ts'
import { lockReferences } from '../../../db/queries/catalogue/product-edits.ts'
import * as rows from '../../../db/queries/content/reviews.ts'
import type { ReviewRow } from '../../../db/tables/content.ts'
import type { Deps } from '../../deps.ts'
import { found, invalid, missingRecord, refuse } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { matchReviews } from '../../rules/content.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import { type EncodedBody, listBody } from '../../runtime/cache/encoded-body.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { type Page, toPage } from '../../schemas/lists.ts'
import * as wire from '../../schemas/reviews.ts'
import { serialize } from '../../schemas/serialization.ts'
import { answerPart } from '../catalogue/answers.ts'

/** Lists the active reviews by display order. */
export function listActiveReviews(deps: Deps, query: wire.ActiveReviewQuery): Promise<EncodedBody> {
  const { productId, shop = false } = query
  return answerPart(deps, `reviews ${productId ?? ''} ${shop}`, query, wire.Reviews, async () => {
    const listed = await rows.listReviews(deps.db, { active: true, productId, ofShop: shop }, BY_ORDER, query)
    return { rows: listed.rows.map(toReview), total: listed.total }
  })
}

const BY_ORDER = { field: 'displayOrder', descending: false } as const

export async function listReviews({ db }: Deps, query: wire.ReviewQuery): Promise<Page<wire.StaffReview>> {
  const filter = { active: query.active, ids: query.ids, productId: query.productId }
  return toPage(await rows.listReviews(db, filter, query.sort ?? BY_ORDER, query), query, toStaffReview)
}

/** @throws AppError 404 */
export async function getReview({ db }: Deps, id: number): Promise<wire.StaffReview> {
  return toStaffReview(found(await rows.findReview(db, id), 'review'))
}

/** @throws AppError 400, also for an unknown product */
export function createReview(deps: Deps, actor: Actor, input: wire.ReviewInput): Promise<wire.StaffReview> {
  return write(deps, async (tx) => {
    const row = await rows.insertReview(tx.db, toValues(input)).catch(explain)
    tx.recordChange('review', [row.id])
    tx.recordChange('product', productsOf(row))
    tx.audit({ actor, entity: 'REVIEW', entityId: row.id, before: null, after: toStaffReview(row) })
    return toStaffReview(row)
  })
}

/** @throws AppError 400, also for an unknown product; 404; 412 STALE */
export function updateReview(
  deps: Deps,
  actor: Actor,
  target: Target,
  input: wire.ReviewInput,
): Promise<wire.StaffReview> {
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    const values = toValues(input)
    const current = toStaffReview(before)
    if (!hasChanges(before, values)) return current
    const row = await rows.updateReview(tx.db, target.id, values).catch(explain)
    const after = toStaffReview(row)
    tx.recordChange('review', [target.id])
    tx.recordChange('product', productsOf(before, row))
    tx.audit({ actor, entity: 'REVIEW', entityId: target.id, before: current, after })
    return after
  })
}

/** @throws AppError 404; 412 STALE */
export function deleteReview(deps: Deps, actor: Actor, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    await rows.deleteReview(tx.db, target.id)
    tx.recordChange('review', [target.id])
    tx.recordChange('product', productsOf(before))
    tx.audit({ actor, entity: 'REVIEW', entityId: target.id, before: toStaffReview(before), after: null })
  })
}

async function lockCurrent(tx: UnitOfWork, { id, ifMatch }: Target): Promise<ReviewRow> {
  const row = found(await rows.lockReview(tx.db, id), 'review')
  await refuseStale(ifMatch, row.version, () => toStaffReview(row))
  return row
}

function explain(error: unknown): never {
  throw violates(error, 'reviews_product_id_fkey') ? invalid(missingRecord('productId')) : error
}

/** The products that show the ratings. */
function productsOf(...reviews: ReviewRow[]): number[] {
  return reviews.flatMap(({ product_id }) => product_id ?? [])
}

/** Exports all reviews in the form that `importReviews` accepts (docs/content.md). */
export async function exportReviews({ db }: Deps): Promise<EncodedBody> {
  return listBody(await rows.listAllReviews(db), (row) => serialize(wire.ExportedReview, toExportedReview(row)))
}

/**
 * Writes the reviews of a file, all or none. A row with an id updates the review that `matchReviews` finds for it; the
 * others become new reviews with new ids, so that no file decides which ids are given next.
 * @throws AppError 400 that names row and field
 */
export async function importReviews(deps: Deps, actor: Actor, file: wire.ReviewImport) {
  // Each field by itself: what else a row has is ignored.
  const reviews = file.map(({ author, rating, text, reviewDate, ...others }) => {
    const { id = null, productId = null, displayOrder = 0, active = true } = others
    return { id, author: author.trim(), rating, text: text.trim(), reviewDate, productId, displayOrder, active }
  })
  return write(deps, async (tx) => {
    // Before the products: deleting one changes its reviews first.
    await rows.lockReviews(tx.db)
    const productIds = reviews.flatMap(({ productId }) => productId ?? [])
    const known = new Set(await lockReferences(tx.db, 'products', productIds))
    refuse(
      reviews.flatMap(({ productId }, row) =>
        productId === null || known.has(productId) ? [] : [missingRecord(`${row}.productId`)],
      ),
    )
    const alike = (await rows.findAlike(tx.db, reviews)).map(toExportedReview)
    const stored = new Map(alike.map((review) => [review.id, review]))
    await nextTurn()
    const matches = matchReviews(reviews, alike)
    await nextTurn()
    const changes = reviews.flatMap((review, index) => {
      const before = stored.get(matches[index] ?? 0)
      const after = { ...review, id: before?.id ?? null }
      return isDeepStrictEqual(before, after) ? [] : [{ before, after }]
    })
    const changed = changes.map(({ after }) => after)
    await nextTurn()
    const ids = await rows.writeReviews(tx.db, changed)
    const created = ids.filter((id) => !stored.has(id))
    const updated = ids.filter((id) => stored.has(id))
    tx.recordChange('review', ids)
    const products = changes.flatMap(({ before, after }) => [before?.productId ?? [], after.productId ?? []].flat())
    tx.recordChange('product', products)
    if (ids.length > 0) {
      tx.audit({ actor, entity: 'REVIEW', entityId: 'import', before: null, after: { created, updated } })
    }
    const unchanged = reviews.length - ids.length
    return { created: created.length, updated: updated.length, unchanged }
  })
}

/** The columns that an input sets; an undefined one keeps its value, or gets its default. */
function toValues(input: wire.ReviewInput) {
  return {
    author: input.author.trim(),
    rating: input.rating,
    text: input.text.trim(),
    review_date: input.reviewDate,
    product_id: input.productId,
    display_order: input.displayOrder,
    active: input.active,
  }
}

function toReview(row: ReviewRow): wire.Review {
  return {
    id: row.id,
    author: row.author,
    rating: row.rating,
    text: row.text,
    reviewDate: row.review_date,
    productId: row.product_id,
    displayOrder: row.display_order,
  }
}

function toExportedReview(row: ReviewRow): wire.ExportedReview {
  return { ...toReview(row), active: row.active }
}

function toStaffReview(row: ReviewRow): wire.StaffReview {
  return {
    ...toReview(row),
    active: row.active,
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
