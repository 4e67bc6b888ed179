import { type Static, Type } from '@sinclair/typebox'
import { Count, Id, NamedObject, Nullable, ref, Text, Word } from './common.ts'

const FeedCategoryId = Word(200, "The feed's id of the category", '3542')
export const FeedCategoryParams = Type.Object({ feedCategoryId: FeedCategoryId })

export const CategoryMappingInput = NamedObject('CategoryMappingInput', 'Mapping of a feed category', {
  categoryId: Id('Id of a category of the shop'),
})
export type CategoryMappingInput = Static<typeof CategoryMappingInput>

export const MappedCategory = NamedObject('MappedCategory', 'A category of the shop', {
  id: Id('Id of the category'),
  name: Text('Name', 'Перфораторы'),
})

/** Contract section 9, "Pipeline". */
export const FeedCategory = NamedObject('FeedCategory', "A category of the supplier's XML feed", {
  id: Text("The feed's id of the category", '3542'),
  name: Text('Name in the feed', 'Перфораторы'),
  parentId: Nullable(Text('Parent in the feed; null: top level', '3500')),
  offers: Count('Number of offers directly in the category'),
  inFeed: Type.Boolean({ description: 'False: no longer in the feed, but still mapped' }),
  category: Nullable(ref(MappedCategory), {
    description: 'Mapped category of the shop; null: not mapped',
    examples: [{ id: 12, name: 'Перфораторы' }],
  }),
})
export type FeedCategory = Static<typeof FeedCategory>
