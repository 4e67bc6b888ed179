/** Whether a text is blank, a path in the shop (`/sale`) or an http(s) URL without credentials. */
export function isBlankOrLink(text: string): boolean {
  const link = text.trim()
  // Browsers skip tabs and line breaks, and read a backslash as a slash: `/\t/host` leads to another host.
  const isPlain = !/[\p{Cc}\\]/u.test(link)
  const url = URL.parse(link, 'https://shop.invalid')
  // Visitors would be sent with the credentials.
  const isLink = url !== null && url.username === '' && url.password === '' && /^(https?:\/)?\/(?!\/)/i.test(link)
  return link === '' || (isPlain && isLink)
}

/** What identifies a review besides its id, which is another one in another shop. */
export type ReviewIdentity = { author: string; text: string; reviewDate: string; productId: number | null }

/**
 * Finds the stored review that each row of an import means: the one of its id with the same identity, else one with the
 * same identity, else the one of its id. No review is found twice. Rows without an id are new reviews.
 * @returns the id of each row's review, null for a new one
 */
export function matchReviews(
  rows: (ReviewIdentity & { id: number | null })[],
  stored: (ReviewIdentity & { id: number })[],
): (number | null)[] {
  const unmatched = new Map(stored.map((review) => [review.id, review]))
  const matches = rows.map((): number | null => null)
  const matchBy = (find: (row: ReviewIdentity & { id: number }) => number | undefined) => {
    for (const [index, row] of rows.entries()) {
      if (row.id === null || matches[index] !== null) continue
      const id = find({ ...row, id: row.id })
      if (id !== undefined && unmatched.delete(id)) matches[index] = id
    }
  }
  matchBy((row) => (isSame(unmatched.get(row.id), row) ? row.id : undefined))
  const idsByIdentity = Map.groupBy(unmatched.values(), identity)
  matchBy((row) => idsByIdentity.get(identity(row))?.shift()?.id)
  matchBy((row) => row.id)
  return matches
}

/** Whether both have the same identity, found without building it: an import may have 100 000 rows. */
function isSame(one: ReviewIdentity | undefined, other: ReviewIdentity): boolean {
  return (
    one?.author === other.author &&
    one.text === other.text &&
    one.reviewDate === other.reviewDate &&
    one.productId === other.productId
  )
}

function identity({ author, text, reviewDate, productId }: ReviewIdentity): string {
  return JSON.stringify([author, text, reviewDate, productId])
}
