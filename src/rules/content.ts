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
  const unmatched = new Map(stored.map((review) => [review.id, identityOf(review)]))
  const identities = rows.map(identityOf)
  const matches = rows.map((): number | null => null)
  const matchBy = (find: (id: number, identity: string | undefined) => number | undefined) => {
    for (const [index, row] of rows.entries()) {
      if (row.id === null || matches[index] !== null) continue
      const id = find(row.id, identities[index])
      if (id !== undefined && unmatched.delete(id)) matches[index] = id
    }
  }
  matchBy((id, identity) => (unmatched.get(id) === identity ? id : undefined))
  const idsByIdentity = Map.groupBy(unmatched.keys(), (id) => unmatched.get(id))
  matchBy((_id, identity) => idsByIdentity.get(identity)?.shift())
  matchBy((id) => id)
  return matches
}

function identityOf({ author, text, reviewDate, productId }: ReviewIdentity): string {
  // Neither text can contain the separator.
  return [reviewDate, productId, author, text].join('\0')
}
