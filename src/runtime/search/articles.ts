import { articleOf } from '../../rules/catalogue/search.ts'
import { createWordIndex, isShort } from './word-index.ts'

/** The supplier's ids of products, by their rows; searched as article numbers without their punctuation. */
export type Articles = {
  put(row: number, id: string | null): void
  remove(row: number): void
  /** The row with this id, however it is punctuated. */
  rowOf(text: string): number | undefined
  /** The rows whose ids begin with the word or, if it has a digit, contain it: random ids contain too many letters. */
  rowsWith(word: string): number[]
  rowsBeginning(text: string): number[]
}

const REMOVED = -1

export function createArticles(): Articles {
  const index = createWordIndex()
  /** The row of each article in the index. */
  const rows: number[] = []
  const numbers = new Map<number, number>()
  const byText = new Map<string, number>()

  function remove(row: number): void {
    const number = numbers.get(row)
    if (number === undefined) return
    const text = index.at(number)
    if (byText.get(text) === row) byText.delete(text)
    rows[number] = REMOVED
    numbers.delete(row)
  }

  const rowsOf = (found: number[]) =>
    found.map((number) => rows[number] ?? REMOVED).filter((row) => row !== REMOVED)

  return {
    put(row, id) {
      const text = articleOf(id ?? '')
      const number = numbers.get(row)
      if (number !== undefined && index.at(number) === text) return
      remove(row)
      if (text === '') return
      index.add(text)
      numbers.set(row, rows.push(row) - 1)
      byText.set(text, row)
    },
    remove,
    rowOf: (text) => byText.get(articleOf(text)),
    rowsWith: (word) =>
      rowsOf(isShort(word) || !/\p{N}/u.test(word) ? index.beginning(word) : index.having(word)),
    rowsBeginning: (text) => rowsOf(index.beginning(text)),
  }
}
