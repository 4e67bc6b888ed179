import { type Static, Type } from '@sinclair/typebox'
import { FILTER_TARGETS } from '../../db/tables/category-filters.ts'
import { Count, described, Edited, Enum, Id, ref } from './common.ts'

const Pattern = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'Case-insensitive regular expression (RE2 syntax), which may match any part of the text',
})
const Active = Type.Boolean({ description: 'Whether the filter applies' })

export const FilterTarget = Enum(FILTER_TARGETS, {
  $id: 'FilterTarget',
  description: 'Text to match: the name, or the path from the root, joined by ` / `',
})

const EXAMPLE = { pattern: '^(архив|уценка)', target: 'path' }

/** Contract section 4, "Rules". */
export const CategoryFilterInput = Type.Object(
  { pattern: Pattern, target: ref(FilterTarget), active: Type.Optional(Active) },
  {
    $id: 'CategoryFilterInput',
    description: 'A filter to write; an absent field keeps its value',
    examples: [{ ...EXAMPLE, active: true }],
  },
)
export type CategoryFilterInput = Static<typeof CategoryFilterInput>

export const CategoryFilter = Type.Object(
  {
    id: described(Id, 'Id of the filter'),
    pattern: Pattern,
    target: ref(FilterTarget),
    active: Active,
    ...Edited.properties,
  },
  {
    $id: 'CategoryFilter',
    description: 'A filter that hides categories',
    examples: [{ id: 4, ...EXAMPLE, active: true, ...Edited.examples?.[0] }],
  },
)
export type CategoryFilter = Static<typeof CategoryFilter>

export const CategoryFilterTest = Type.Object(
  { pattern: Pattern, target: ref(FilterTarget) },
  { $id: 'CategoryFilterTest', description: 'A filter to test', examples: [EXAMPLE] },
)
export type CategoryFilterTest = Static<typeof CategoryFilterTest>

export const CategoryFilterMatches = Type.Object(
  {
    categories: Type.Array(
      Type.Object({
        id: described(Id, 'Id of the category'),
        name: Type.String({ description: 'Name of the category' }),
        path: Type.String({ description: 'Path from the root' }),
        visible: Type.Boolean({ description: 'Whether the category is visible now' }),
      }),
      { description: 'Matching categories, in tree order' },
    ),
    count: described(Count, 'Number of matching categories'),
    below: described(Count, 'Number of visible categories below them, which would be hidden too'),
  },
  {
    $id: 'CategoryFilterMatches',
    description: 'Categories that a filter would hide',
    examples: [
      { categories: [{ id: 31, name: 'Архив', path: 'Архив', visible: true }], count: 1, below: 12 },
    ],
  },
)
export type CategoryFilterMatches = Static<typeof CategoryFilterMatches>
