import { expect, test } from 'vitest'
import { combineCandidates } from '../../../src/runtime/search/correction.ts'

const plain = (...texts: string[]) => texts.map((text) => ({ text, literal: false }))

test('combines the cheapest candidates first, then those of more frequent words', () => {
  const one = (text: string, cost: number, known = 1) => ({ words: plain(text), cost, known })
  const combined = combineCandidates(
    [
      [one('a', 0), one('b', 10, 5), one('c', 10, 7)],
      [one('x', 0), one('y', 11)],
    ],
    4,
  )
  expect(combined).toEqual([
    { words: plain('a', 'x'), cost: 0, known: 1 },
    { words: plain('c', 'x'), cost: 10, known: 1 },
    { words: plain('b', 'x'), cost: 10, known: 1 },
    { words: plain('a', 'y'), cost: 11, known: 1 },
  ])
})
