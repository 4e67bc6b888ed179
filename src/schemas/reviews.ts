import { type Static, Type } from '@sinclair/typebox'
import { REVIEW_SORT } from '../../db/tables/content.ts'
import {
  Count,
  Day,
  DisplayOrder,
  described,
  Edited,
  Id,
  Nullable,
  Page,
  PageQuery,
  ref,
  SortQuery,
  Word,
} from './common.ts'

const Rating = Type.Integer({ minimum: 1, maximum: 5, description: 'Stars' })
const ReviewDate = described(Day, 'Date of the review, YYYY-MM-DD')
const ProductId = Nullable(described(Id, 'Product that it is about; null: the shop as a whole'))
const Active = Type.Boolean({ description: 'Whether the storefront shows it' })

const EXAMPLE = {
  author: 'Анна П.',
  rating: 5,
  text: 'Привезли на следующий день, всё работает.',
  reviewDate: '2026-11-18',
  productId: null,
  displayOrder: 1,
}

export const ReviewInput = Type.Object(
  {
    author: Word(200, 'Name of the author'),
    rating: Rating,
    text: Word(10_000, 'Text of the review'),
    reviewDate: ReviewDate,
    productId: Type.Optional(ProductId),
    active: Type.Optional(Active),
    displayOrder: Type.Optional(DisplayOrder),
  },
  {
    $id: 'ReviewInput',
    description: 'A review to write; an absent field keeps its value',
    examples: [{ ...EXAMPLE, active: true }],
  },
)
export type ReviewInput = Static<typeof ReviewInput>

export const PublicReview = Type.Object(
  {
    id: described(Id, 'Id of the review'),
    author: Type.String({ description: 'Name of the author' }),
    rating: Rating,
    text: Type.String({ description: 'Text of the review' }),
    reviewDate: ReviewDate,
    productId: ProductId,
    displayOrder: DisplayOrder,
  },
  {
    $id: 'PublicReview',
    description: 'A review as the storefront shows it',
    examples: [{ id: 9, ...EXAMPLE }],
  },
)
export type PublicReview = Static<typeof PublicReview>

/** Contract section 7. */
export const Review = Type.Object(
  { ...PublicReview.properties, active: Active, ...Edited.properties },
  {
    $id: 'Review',
    description: 'A review as staff see it',
    examples: [{ id: 9, ...EXAMPLE, active: true, ...Edited.examples?.[0] }],
  },
)
export type Review = Static<typeof Review>

export const ReviewPage = Page(Review)

export const ProductRating = Type.Object(
  {
    average: Type.Number({ minimum: 1, maximum: 5, description: 'Average of the stars, to two decimals' }),
    count: described(Count, 'Reviews counted'),
  },
  {
    $id: 'ProductRating',
    description: 'What the active reviews of a product say',
    examples: [{ average: 4.67, count: 3 }],
  },
)

const productId = Type.Optional(described(Id, 'Only those about this product'))

export const ActiveReviewQuery = Type.Object({ productId })
export type ActiveReviewQuery = Static<typeof ActiveReviewQuery>

export const ReviewQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(REVIEW_SORT, 'displayOrder'),
  active: Type.Optional(
    Type.Boolean({ description: 'Only those that are shown (true) or hidden (false)', examples: [true] }),
  ),
  productId,
})
export type ReviewQuery = Static<typeof ReviewQuery>

export const ExportedReview = Type.Object(
  { ...PublicReview.properties, active: Active },
  {
    $id: 'ExportedReview',
    description: 'A row of an export',
    examples: [{ id: 9, ...EXAMPLE, active: true }],
  },
)

export const ReviewExport = Type.Array(ref(ExportedReview), { description: 'All reviews' })
export type ReviewExport = Static<typeof ReviewExport>

export const ReviewImport = Type.Array(
  Type.Object({
    id: Type.Optional(
      Nullable(
        described(Id, 'Id of the review; unknown: a new one with another id, absent or null: a new one'),
      ),
    ),
    ...ReviewInput.properties,
  }),
  {
    $id: 'ReviewImport',
    maxItems: 20_000,
    description: 'An export; a row without an id is a new review',
    examples: [[{ ...EXAMPLE, active: true }]],
  },
)
export type ReviewImport = Static<typeof ReviewImport>

export const ReviewImportResult = Type.Object(
  {
    created: described(Count, 'Reviews created'),
    updated: described(Count, 'Reviews updated'),
    unchanged: described(Count, 'Reviews that already were the same'),
  },
  {
    $id: 'ReviewImportResult',
    description: 'Result of an import',
    examples: [{ created: 2, updated: 1, unchanged: 40 }],
  },
)
export type ReviewImportResult = Static<typeof ReviewImportResult>
