import { type Static, Type } from '@sinclair/typebox'
import { FILTER_TARGETS } from '../../db/tables/category-filters.ts'
import { ListedCategory } from './categories.ts'
import { Count, EDITED, Id, List, NamedEnum, NamedObject, ref, shown } from './common.ts'

const Pattern = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'Case-insensitive regular expression (RE2 syntax), which may match any part of the text',
  examples: ['^(архив|уценка)'],
})

export const FilterTarget = NamedEnum(
  'FilterTarget',
  'Text to match: the name, or the path from the root, joined by ` / `',
  FILTER_TARGETS,
)

/** Contract section 4, "Rules". */
export const CategoryFilterInput = NamedObject(
  'CategoryFilterInput',
  'A filter to write; an absent field keeps its value',
  {
    pattern: Pattern,
    target: ref(FilterTarget),
    active: Type.Optional(Type.Boolean({ description: 'Whether the filter applies' })),
  },
)
export type CategoryFilterInput = Static<typeof CategoryFilterInput>

export const CategoryFilter = NamedObject('CategoryFilter', 'A filter that hides categories', {
  id: Id('Id of the filter'),
  ...shown(CategoryFilterInput.properties),
  ...EDITED,
})
export type CategoryFilter = Static<typeof CategoryFilter>

export const CategoryFilterMatches = NamedObject(
  'CategoryFilterMatches',
  'Categories that a filter would hide',
  {
    categories: List(ListedCategory, 'Matching categories, in tree order'),
    count: Count('Number of them'),
    below: Count('Number of visible categories below them, which would be hidden too'),
  },
)
export type CategoryFilterMatches = Static<typeof CategoryFilterMatches>
