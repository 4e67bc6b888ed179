import { expect, test } from 'vitest'
import { warningsOf } from '../../../src/services/pipeline/runs.ts'

const stage = (stage: 'PARSE' | 'ATTRIBUTES', counts: { [what: string]: number | undefined }) => {
  const [what = '', count] = Object.entries(counts)[0] ?? []
  return count === undefined
    ? { stage, status: 'FAILED' as const, counts: {} }
    : { stage, status: 'SUCCEEDED' as const, counts: { [what]: count } }
}

test.each([
  [1984, 0, ["Only 0 of 1984 offers belong to products of the shop: check the feed's ids"]],
  [100, 9, ["Only 9 of 100 offers belong to products of the shop: check the feed's ids"]],
  [100, 10, []],
  [1, 1, []],
  [0, 0, ['The feed has no offers']],
  [undefined, undefined, []],
  [100, undefined, []],
])('of %j offers %j match', (offers, matched, warnings) => {
  expect(warningsOf([stage('PARSE', { offers }), stage('ATTRIBUTES', { matched })])).toEqual(warnings)
})
