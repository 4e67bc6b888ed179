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
const ReviewDate = described(Day, 'When it was written, YYYY-MM-DD')
const ProductId = Nullable(described(Id, 'What it is about; null: the shop as a whole'))
const Active = Type.Boolean({ description: 'Whether it is shown' })

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
    author: Word(200, 'Who wrote it'),
    rating: Rating,
    text: Word(10_000, 'What they wrote'),
    reviewDate: ReviewDate,
    productId: Type.Optional(ProductId),
    active: Type.Optional(Active),
    displayOrder: Type.Optional(DisplayOrder),
  },
  {
    $id: 'ReviewInput',
    description: 'A review as it shall be; what is absent stays',
    examples: [{ ...EXAMPLE, active: true }],
  },
)
export type ReviewInput = Static<typeof ReviewInput>

/** A review as anyone reads it. */
export const PublicReview = Type.Object(
  {
    id: described(Id, 'Id of the review'),
    author: Type.String({ description: 'Who wrote it' }),
    rating: Rating,
    text: Type.String({ description: 'What they wrote' }),
    reviewDate: ReviewDate,
    productId: ProductId,
    displayOrder: DisplayOrder,
  },
  {
    $id: 'PublicReview',
    description: 'A review as anyone reads it',
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

export const ReviewQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(REVIEW_SORT, 'in the order in which they are shown'),
  active: Type.Optional(
    Type.Boolean({ description: 'Those that are shown, or those that are not', examples: [true] }),
  ),
  productId: Type.Optional(described(Id, 'About this product')),
})
export type ReviewQuery = Static<typeof ReviewQuery>

export const ExportedReview = Type.Object(
  { ...PublicReview.properties, active: Active },
  {
    $id: 'ExportedReview',
    description: 'A row of the export',
    examples: [{ id: 9, ...EXAMPLE, active: true }],
  },
)

export const ReviewExport = Type.Array(ref(ExportedReview), { description: 'All reviews' })
export type ReviewExport = Static<typeof ReviewExport>

export const ReviewImport = Type.Array(
  Type.Object({
    id: Type.Optional(Nullable(described(Id, 'Which review; absent or null: a new one'))),
    ...ReviewInput.properties,
  }),
  {
    $id: 'ReviewImport',
    maxItems: 20_000,
    description: 'What the export gives; a row without an id is a new review',
    examples: [[{ ...EXAMPLE, active: true }]],
  },
)
export type ReviewImport = Static<typeof ReviewImport>

export const ReviewImportResult = Type.Object(
  {
    created: described(Count, 'Reviews that were new'),
    updated: described(Count, 'Reviews that differed'),
    unchanged: described(Count, 'Reviews that were the same'),
  },
  {
    $id: 'ReviewImportResult',
    description: 'What an import did',
    examples: [{ created: 2, updated: 1, unchanged: 40 }],
  },
)
export type ReviewImportResult = Static<typeof ReviewImportResult>
