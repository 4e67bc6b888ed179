import { type Static, Type } from '@sinclair/typebox'
import { Count, described, Id, Nullable, ref } from './common.ts'

const FeedCategoryId = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "The feed's own id of the category",
  examples: ['3542'],
})
export const FeedCategoryParams = Type.Object({ feedCategoryId: FeedCategoryId })

export const CategoryMappingInput = Type.Object(
  { categoryId: described(Id, 'Which of our categories it is') },
  {
    $id: 'CategoryMappingInput',
    description: 'What a category of the feed is here',
    examples: [{ categoryId: 12 }],
  },
)
export type CategoryMappingInput = Static<typeof CategoryMappingInput>

export const MappedCategory = Type.Object(
  { id: described(Id, 'Id of our category'), name: Type.String({ description: 'Its name' }) },
  {
    $id: 'MappedCategory',
    description: 'One of our categories',
    examples: [{ id: 12, name: 'Перфораторы' }],
  },
)

/** Contract section 9, "Pipeline". */
export const FeedCategory = Type.Object(
  {
    id: Type.String({ description: "The feed's own id of it" }),
    name: Type.String({ description: 'As the feed calls it' }),
    parentId: Nullable(Type.String({ description: 'The category above it in the feed; null: none' })),
    offers: described(Count, 'Offers directly in it'),
    inFeed: Type.Boolean({
      description: 'False: the last feed no longer had it; it is kept for its mapping',
    }),
    category: Nullable(ref(MappedCategory), { description: 'What it is mapped to; null: nothing' }),
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
