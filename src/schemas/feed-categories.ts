import { type Static, Type } from '@sinclair/typebox'
import { Count, described, Id, Nullable, ref } from './common.ts'

const FeedCategoryId = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "The feed's id of the category",
  examples: ['3542'],
})
export const FeedCategoryParams = Type.Object({ feedCategoryId: FeedCategoryId })

export const CategoryMappingInput = Type.Object(
  { categoryId: described(Id, 'Id of a category of the shop') },
  {
    $id: 'CategoryMappingInput',
    description: 'Mapping of a feed category',
    examples: [{ categoryId: 12 }],
  },
)
export type CategoryMappingInput = Static<typeof CategoryMappingInput>

export const MappedCategory = Type.Object(
  { id: described(Id, 'Id of the category'), name: Type.String({ description: 'Name' }) },
  {
    $id: 'MappedCategory',
    description: 'A category of the shop',
    examples: [{ id: 12, name: 'Перфораторы' }],
  },
)

/** Contract section 9, "Pipeline". */
export const FeedCategory = Type.Object(
  {
    id: Type.String({ description: "The feed's id of the category" }),
    name: Type.String({ description: 'Name in the feed' }),
    parentId: Nullable(Type.String({ description: 'Parent in the feed; null: top level' })),
    offers: described(Count, 'Number of offers directly in the category'),
    inFeed: Type.Boolean({
      description: 'False: no longer in the feed, but still mapped',
    }),
    category: Nullable(ref(MappedCategory), { description: 'Mapped category of the shop; null: not mapped' }),
  },
  {
    $id: 'FeedCategory',
    description: "A category of the supplier's XML feed",
    examples: [
      {
        id: '3542',
        name: 'Перфораторы',
        parentId: '3500',
        offers: 214,
        inFeed: true,
        category: { id: 12, name: 'Перфораторы' },
      },
    ],
  },
)
export type FeedCategory = Static<typeof FeedCategory>
