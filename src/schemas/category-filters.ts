import { type Static, Type } from '@sinclair/typebox'
import { FILTER_TARGETS } from '../../db/tables/category-filters.ts'
import { Count, Edited, Id, NamedEnum, NamedObject, ref, shown, Text } from './common.ts'

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
  ...Edited.properties,
})
export type CategoryFilter = Static<typeof CategoryFilter>

export const CategoryFilterTest = NamedObject('CategoryFilterTest', 'A filter to test', {
  pattern: Pattern,
  target: ref(FilterTarget),
})
export type CategoryFilterTest = Static<typeof CategoryFilterTest>

export const CategoryFilterMatches = NamedObject(
  'CategoryFilterMatches',
  'Categories that a filter would hide',
  {
    categories: Type.Array(
      Type.Object({
        id: Id('Id of the category'),
        name: Text('Name of the category', 'Архив'),
        path: Text('Path from the root', 'Архив'),
        visible: Type.Boolean({ description: 'Whether the category is visible now' }),
      }),
      { description: 'Matching categories, in tree order' },
    ),
    count: Count('Number of matching categories'),
    below: Count('Number of visible categories below them, which would be hidden too'),
  },
)
export type CategoryFilterMatches = Static<typeof CategoryFilterMatches>
