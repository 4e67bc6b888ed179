import { type Static, Type } from '@sinclair/typebox'
import { REVIEW_SORT } from '../../db/tables/content.ts'
import { Day, DisplayOrder, Edited, Id, Nullable, PageQuery, SortQuery, Word } from './common.ts'

const Rating = Type.Integer({ minimum: 1, maximum: 5 })

const published = {
  author: Word(200),
  rating: Rating,
  text: Word(10_000),
  reviewDate: Day,
}

export const ReviewInput = Type.Object({
  ...published,
  productId: Type.Optional(Nullable(Id)),
  active: Type.Optional(Type.Boolean()),
  displayOrder: Type.Optional(DisplayOrder),
})
export type ReviewInput = Static<typeof ReviewInput>

/** A review as anyone reads it. */
export const PublicReview = Type.Object(
  {
    id: Type.Integer(),
    author: Type.String(),
    rating: Type.Integer(),
    text: Type.String(),
    reviewDate: Day,
    productId: Nullable(Type.Integer({ description: 'Null: of the shop as a whole' })),
    displayOrder: Type.Integer(),
  },
  { $id: 'PublicReview' },
)
export type PublicReview = Static<typeof PublicReview>

/** Contract section 7. */
export const Review = Type.Object(
  { ...PublicReview.properties, active: Type.Boolean(), ...Edited.properties },
  { $id: 'Review' },
)
export type Review = Static<typeof Review>

export const ReviewQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(REVIEW_SORT, 'in the order in which they are shown'),
  active: Type.Optional(Type.Boolean()),
  productId: Type.Optional(Id),
})
export type ReviewQuery = Static<typeof ReviewQuery>

export const ReviewExport = Type.Array(Type.Object({ ...PublicReview.properties, active: Type.Boolean() }))
export type ReviewExport = Static<typeof ReviewExport>

export const ReviewImport = Type.Array(
  Type.Object({ id: Type.Optional(Nullable(Id)), ...ReviewInput.properties }),
  { maxItems: 20_000, description: 'What the export gives; a row without an id is a new review' },
)
export type ReviewImport = Static<typeof ReviewImport>

export const ReviewImportResult = Type.Object(
  { created: Type.Integer(), updated: Type.Integer(), unchanged: Type.Integer() },
  { $id: 'ReviewImportResult' },
)
export type ReviewImportResult = Static<typeof ReviewImportResult>
