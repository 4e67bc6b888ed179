import { type Static, Type } from '@sinclair/typebox'
import { FILTER_TARGETS } from '../../db/tables/catalogue.ts'
import * as t from './common.ts'

const Pattern = t.NonBlank(500, 'Case-insensitive RE2 pattern, which may match any part of the text', '^(архив|уценка)')

const FilterTarget = t.NamedEnum('FilterTarget', 'Text to match; a path is joined by ` / `', FILTER_TARGETS)

export const CategoryFilterInput = t.NamedObject(
  'CategoryFilterInput',
  'A filter to write; absent fields keep their values',
  {
    pattern: Pattern,
    target: t.ref(FilterTarget),
    active: Type.Optional(Type.Boolean({ description: 'Whether the filter applies' })),
  },
)
export type CategoryFilterInput = Static<typeof CategoryFilterInput>

export const CategoryFilter = t.NamedObject('CategoryFilter', 'A filter that hides categories', {
  id: t.Id('Id of the filter'),
  ...t.required(CategoryFilterInput.properties),
  ...t.EDITED,
})
export type CategoryFilter = Static<typeof CategoryFilter>
