import { articleOf } from '../../rules/catalogue/search.ts'
import { append, createWordIndex, isShort } from './word-index.ts'

/** The supplier's ids of products by row, searched as article numbers without punctuation. */
export function createArticles() {
  const index = createWordIndex()
  /** The article of each row; '' for none. */
  const texts: string[] = []
  /** The rows of each article that a product has or had. */
  const rowsByText = new Map<string, number[]>()

  const rowsAt = (found: number[]) => found.flatMap((number) => rowsByText.get(index.at(number)) ?? [])

  return {
    put(row: number, id: string | null): void {
      const [before = '', text] = [texts[row], articleOf(id ?? '')]
      if (before === text) return
      const rows = rowsByText.get(before)
      rows?.splice(rows.indexOf(row), 1)
      texts[row] = text
      if (text === '') return
      if (!rowsByText.has(text)) index.add(text)
      append(rowsByText, text, row)
    },
    /** The rows with this id, however it is punctuated. */
    rowsOf: (text: string): readonly number[] => rowsByText.get(articleOf(text)) ?? [],
    /** The rows whose ids begin with the word or, if it has a digit, contain it: too many random ids contain given letters. */
    rowsWith: (word: string) =>
      rowsAt(isShort(word) || !/\p{N}/u.test(word) ? index.beginning(word) : index.having(word)),
    rowsBeginning: (text: string) => rowsAt(index.beginning(text)),
  }
}
