import { type Static, Type } from '@sinclair/typebox'
import { REVIEW_SORT } from '../../db/tables/content.ts'
import { MAX_LISTED_IDS } from '../rules/catalogue/product-filter.ts'
import * as t from './common.ts'
import { ListQuery, OnlyIds, PartQuery } from './lists.ts'

const Active = Type.Boolean({ description: 'Whether the storefront shows it' })

const publicMembers = {
  author: t.NonBlank(200, 'Name of the author', 'Анна П.'),
  rating: Type.Integer({ minimum: 1, maximum: 5, description: 'Stars' }),
  text: t.NonBlank(10_000, 'Text of the review', 'Привезли на следующий день, всё работает.'),
  reviewDate: t.Day('Date of the review, YYYY-MM-DD'),
  productId: Type.Optional(t.Nullable(t.Id('Product that it is about; null: the shop as a whole'))),
  displayOrder: Type.Optional(t.DisplayOrder),
}

export const ReviewInput = t.NamedObject('ReviewInput', 'A review to write; absent fields keep their values', {
  ...publicMembers,
  active: Type.Optional(Active),
})
export type ReviewInput = Static<typeof ReviewInput>

export const Review = t.NamedObject('Review', 'A review as the public sees it', {
  id: t.Id('Id of the review'),
  ...t.required(publicMembers),
})
export type Review = Static<typeof Review>

export const Reviews = t.List(Review, 'The reviews')

export const StaffReview = t.NamedObject('StaffReview', 'A review as staff see it', {
  ...Review.properties,
  active: Active,
  ...t.EDITED,
})
export type StaffReview = Static<typeof StaffReview>

export const ProductRating = t.NamedObject('ProductRating', 'Summary of the active reviews of a product', {
  average: Type.Number({
    minimum: 1,
    maximum: 5,
    description: 'Average of the stars, to two decimals',
    examples: [4.67],
  }),
  count: t.Count('Number of reviews'),
})

const filters = { productId: t.Id('Only those about this product') }

export const ActiveReviewQuery = Type.Object({
  ...PartQuery.properties,
  ...t.partial({ ...filters, shop: Type.Boolean({ description: 'true: only those of no product' }) }),
})
export type ActiveReviewQuery = Static<typeof ActiveReviewQuery>

export const ReviewQuery = ListQuery(REVIEW_SORT, 'displayOrder', {
  active: Type.Boolean({ description: 'Only those that are shown (true) or hidden (false)' }),
  ids: OnlyIds(`Only these reviews, at most ${MAX_LISTED_IDS}; none if empty`, '3,4', MAX_LISTED_IDS),
  ...filters,
})
export type ReviewQuery = Static<typeof ReviewQuery>

export const ExportedReview = t.NamedObject('ExportedReview', 'A row of an export', {
  ...Review.properties,
  active: Active,
})
export type ExportedReview = Static<typeof ExportedReview>

export const ReviewExport = t.List(ExportedReview, 'All reviews')

export const ReviewImport = Type.Array(
  Type.Object({
    id: Type.Optional(
      t.Nullable(t.Id('Id of the review to update; unknown, absent or null: a new review with a new id')),
    ),
    ...ReviewInput.properties,
  }),
  {
    $id: 'ReviewImport',
    maxItems: 100_000,
    description: 'An export; a row without an id is a new review',
    examples: [ExportedReview.examples],
  },
)
export type ReviewImport = Static<typeof ReviewImport>

export const ReviewImportResult = t.NamedObject('ReviewImportResult', 'Result of an import', {
  created: t.Count('Reviews created'),
  updated: t.Count('Reviews updated'),
  unchanged: t.Count('Reviews that were already the same'),
})
