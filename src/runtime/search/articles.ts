import { articleOf } from '../../rules/catalogue/search.ts'
import { createWordIndex, isShort } from './word-index.ts'

/** An article number without its punctuation, and the products that have it. */
type Article = { text: string; rows: number[] }

/** The supplier's ids of products, searched as article numbers. */
export function createArticles() {
  const index = createWordIndex<Article>(({ text }) => text)
  const byText = new Map<string, Article>()
  const byRow: (Article | undefined)[] = []

  function add(row: number, text: string): Article {
    const known = byText.get(text)
    if (known !== undefined) {
      known.rows.push(row)
      return known
    }
    const article = { text, rows: [row] }
    byText.set(text, article)
    index.add(article)
    return article
  }

  const rowsOf = (articles: Article[]) => articles.flatMap(({ rows }) => rows)

  return {
    put(row: number, id: string | null): void {
      const [before, text] = [byRow[row], articleOf(id ?? '')]
      if (before?.text === text) return
      before?.rows.splice(before.rows.indexOf(row), 1)
      byRow[row] = text === '' ? undefined : add(row, text)
    },
    /** The rows with this id, however it is punctuated. */
    rowsOf: (id: string): readonly number[] => byText.get(articleOf(id))?.rows ?? [],
    /** The rows whose ids begin with the word or, if it has a digit, contain it: too many random ids contain given letters. */
    rowsWith: (word: string) =>
      rowsOf(isShort(word) || !/\p{N}/u.test(word) ? index.beginning(word) : index.having(word)),
    rowsBeginning: (text: string) => rowsOf(index.beginning(text)),
  }
}
