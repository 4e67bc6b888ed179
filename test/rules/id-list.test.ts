import { expect, test } from 'vitest'
import { readIdList } from '../../src/rules/id-list.ts'

const ids = (howMany: number) => Array.from({ length: howMany }, (_, n) => n + 1)

test('ids with commas, each once', () => {
  expect(readIdList('7')).toEqual([7])
  expect(readIdList('3, 1,3,2147483647')).toEqual([3, 1, 2_147_483_647])
  expect(readIdList(ids(1000).join(','))).toEqual(ids(1000))
})

test.each([
  '',
  ',',
  '1,',
  '1,,2',
  '0',
  '-1',
  '1.5',
  '1e3',
  'a',
  '2147483648',
  '99999999999',
  '１',
  '1;2',
  ids(1001).join(','),
])('%j is no list of ids', (text) => {
  expect(readIdList(text)).toBeNull()
})
