import { expect, test } from 'vitest'
import { matchReviews } from '../../src/rules/content.ts'

const review = (id: number | null, author: string) => ({
  id,
  author,
  text: 'Good',
  reviewDate: '2026-11-01',
  productId: null,
})
const stored = (id: number, author: string) => ({ ...review(null, author), id })

test.each<[string, [number | null, string][], [number, string][], (number | null)[]]>([
  ['the id of the same review', [[1, 'A']], [[1, 'A']], [1]],
  ['the id of an edited review', [[1, 'Edited']], [[1, 'A']], [1]],
  ['the same review under another id', [[70, 'A']], [[1, 'A']], [1]],
  ['the same review rather than the id', [[2, 'A']], [[1, 'A'], [2, 'B']], [1]], // biome-ignore format: a row a line
  ['swapped ids', [[2, 'A'], [1, 'B']], [[1, 'A'], [2, 'B']], [1, 2]], // biome-ignore format: a row a line
  ['repeated reviews one to one', [[7, 'A'], [8, 'A'], [9, 'A']], [[1, 'A'], [2, 'A']], [1, 2, null]], // biome-ignore format: a row a line
  ['a repeated review by its id', [[2, 'A'], [1, 'A']], [[1, 'A'], [2, 'A']], [2, 1]], // biome-ignore format: a row a line
  ['a known id only once', [[7, 'A'], [1, 'B']], [[1, 'A']], [1, null]], // biome-ignore format: a row a line
  ['no row without an id', [[null, 'A']], [[1, 'A']], [null]],
  ['no unknown id', [[2_147_483_647, 'A']], [], [null]],
])('matches %s', (_, rows, reviews, matches) => {
  const incoming = rows.map(([id, author]) => review(id, author))
  const existing = reviews.map(([id, author]) => stored(id, author))
  expect(matchReviews(incoming, existing)).toEqual(matches)
})

test.each([{ text: 'Bad' }, { reviewDate: '2026-11-02' }, { productId: 5 }])('tells reviews apart by %o', (other) => {
  expect(matchReviews([{ ...review(9, 'A'), ...other }], [stored(1, 'A')])).toEqual([null])
  const existing = [stored(1, 'A'), { ...stored(2, 'A'), ...other }]
  expect(matchReviews([{ ...review(1, 'A'), ...other }], existing)).toEqual([2])
})
