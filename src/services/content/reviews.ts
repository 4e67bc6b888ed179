import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { lockReferences } from '../../../db/queries/catalogue/product-edits.ts'
import * as rows from '../../../db/queries/content/reviews.ts'
import { listRecords } from '../../../db/queries/records.ts'
import type { Deps } from '../../deps.ts'
import { missingRecord, refuse } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { matchReviews } from '../../rules/content.ts'
import { type EncodedBody, listBody } from '../../runtime/cache/encoded-body.ts'
import { write } from '../../runtime/write.ts'
import { type Page, toPage } from '../../schemas/lists.ts'
import * as wire from '../../schemas/reviews.ts'
import { serialize } from '../../schemas/serialization.ts'
import { getRecord, type RecordKind, recordUseCases } from '../records.ts'
import { toColumns, toWire } from '../wire.ts'

const REVIEWS: RecordKind<'reviews', wire.Review, wire.ReviewInput> = {
  table: 'reviews',
  name: 'review',
  entity: 'REVIEW',
  change: 'review',
  /** Both products show the rating. */
  afterWrite(tx, before, after) {
    const products = [before, after].flatMap((review) => review?.productId ?? [])
    tx.recordChange('product', products)
  },
  toWire: (row) => toWire(wire.Review, row, true),
  toValues: (input) => toColumns(wire.ReviewInput, input),
  references: { reviews_product_id_fkey: 'productId' },
}

export const { create: createReview, update: updateReview, delete: deleteReview } = recordUseCases(REVIEWS)

/** @throws AppError 404 */
export const getReview = (deps: Deps, id: number) => getRecord(deps, REVIEWS, id)

/** Lists the active reviews by display order (specification, "Catalogue (public reads)"). */
export function listActiveReviews(deps: Deps, { productId }: wire.ActiveReviewQuery): Promise<EncodedBody> {
  return deps.cached.answers.get(`reviews ${productId ?? ''}`, async () =>
    listBody(await rows.listAllReviews(deps.db, { active: true, productId }), (row) =>
      serialize(wire.Review, toWire(wire.Review, row)),
    ),
  )
}

export async function listReviews({ db }: Deps, query: wire.ReviewQuery): Promise<Page<wire.Review>> {
  const filter = { active: query.active, productId: query.productId }
  const sort = query.sort ?? { field: 'displayOrder', descending: false }
  return toPage(await rows.listReviews(db, filter, sort, query), query, REVIEWS.toWire)
}

/** Exports all reviews in the form that `importReviews` accepts (contract section 7). */
export async function exportReviews({ db }: Deps): Promise<EncodedBody> {
  return listBody(await listRecords(db, 'reviews'), (row) =>
    serialize(wire.ExportedReview, toWire(wire.ExportedReview, row)),
  )
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
    const alike = (await rows.findAlike(tx.db, reviews)).map((row) => toWire(wire.ExportedReview, row))
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
