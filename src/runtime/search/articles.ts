import { articleOf } from '../../rules/catalogue/search.ts'
import { createWordIndex, isShort } from './word-index.ts'

const REMOVED = -1

/** The supplier's ids of products, by their rows; searched as article numbers without their punctuation. */
export function createArticles() {
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
    put(row: number, id: string | null): void {
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
    /** The row with this id, however it is punctuated. */
    rowOf: (text: string) => byText.get(articleOf(text)),
    /** The rows whose ids begin with the word or, if it has a digit, contain it: random ids contain too many letters. */
    rowsWith: (word: string) =>
      rowsOf(isShort(word) || !/\p{N}/u.test(word) ? index.beginning(word) : index.having(word)),
    rowsBeginning: (text: string) => rowsOf(index.beginning(text)),
  }
}
