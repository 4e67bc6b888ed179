import { type Static, Type } from '@sinclair/typebox'
import { FILTER_TARGETS } from '../../db/tables/category-filters.ts'
import { Count, described, Edited, Enum, Id, ref } from './common.ts'

const Pattern = Type.String({
  minLength: 1,
  maxLength: 500,
  description:
    'Regular expression (RE2 syntax), upper and lower case the same; it matches anywhere in the text',
})
const Active = Type.Boolean({ description: 'Whether it hides anything' })

export const FilterTarget = Enum(FILTER_TARGETS, {
  $id: 'FilterTarget',
  description: 'What is compared: the name, or the names from the top to it with ` / ` between them',
})

const EXAMPLE = { pattern: '^(архив|уценка)', target: 'path' }

/** Contract section 4, "Rules". */
export const CategoryFilterInput = Type.Object(
  { pattern: Pattern, target: ref(FilterTarget), active: Type.Optional(Active) },
  {
    $id: 'CategoryFilterInput',
    description: 'A rule as it shall be; what is absent stays',
    examples: [{ ...EXAMPLE, active: true }],
  },
)
export type CategoryFilterInput = Static<typeof CategoryFilterInput>

export const CategoryFilter = Type.Object(
  {
    id: described(Id, 'Id of the rule'),
    pattern: Pattern,
    target: ref(FilterTarget),
    active: Active,
    ...Edited.properties,
  },
  {
    $id: 'CategoryFilter',
    description: 'A rule that hides categories',
    examples: [{ id: 4, ...EXAMPLE, active: true, ...Edited.examples?.[0] }],
  },
)
export type CategoryFilter = Static<typeof CategoryFilter>

export const CategoryFilterTest = Type.Object(
  { pattern: Pattern, target: ref(FilterTarget) },
  { $id: 'CategoryFilterTest', description: 'A rule to be tried out', examples: [EXAMPLE] },
)
export type CategoryFilterTest = Static<typeof CategoryFilterTest>

export const CategoryFilterMatches = Type.Object(
  {
    categories: Type.Array(
      Type.Object({
        id: described(Id, 'Id of the category'),
        name: Type.String({ description: 'What it is called' }),
        path: Type.String({ description: 'The names from the top to it' }),
        visible: Type.Boolean({ description: 'Whether it is visible now' }),
      }),
      { description: 'Those that the rule matches, in tree order' },
    ),
    count: described(Count, 'How many those are'),
    below: described(Count, 'Others, visible now, that would be hidden with them'),
  },
  {
    $id: 'CategoryFilterMatches',
    description: 'What a rule would hide',
    examples: [
      { categories: [{ id: 31, name: 'Архив', path: 'Архив', visible: true }], count: 1, below: 12 },
    ],
  },
)
export type CategoryFilterMatches = Static<typeof CategoryFilterMatches>
