const MAX_DEPTH = 100

type Unstorable = { path: string; message: string }

/**
 * Finds the first text, or key, that PostgreSQL can't store (U+0000, a lone surrogate), or nesting that is too deep to
 * serialise; null if there is none.
 */
export function findUnstorable(value: unknown): Unstorable | null {
  const { value: first } = unstorableTexts(value).next()
  return first ?? null
}

/** Yields all of them. */
export function* unstorableTexts(value: unknown): Generator<Unstorable, undefined> {
  const open: { value: unknown; path: string; depth: number }[] = [{ value, path: '', depth: 0 }]
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (typeof item.value === 'string') {
      const message = unstorable(item.value)
      if (message) yield { path: item.path, message }
    } else if (typeof item.value === 'object' && item.value !== null) {
      if (item.depth >= MAX_DEPTH) {
        yield { path: item.path, message: `is nested deeper than ${MAX_DEPTH} levels` }
        continue
      }
      for (const [key, child] of Object.entries(item.value)) {
        const message = unstorable(key)
        if (message) yield { path: item.path, message: `has a key that ${message}` }
        else open.push({ value: child, path: `${item.path}/${key}`, depth: item.depth + 1 })
      }
    }
  }
}

/** Why a text can't be stored; null if it can. */
export function unstorable(text: string): string | null {
  if (text.includes('\0')) return 'contains the character U+0000'
  return text.isWellFormed() ? null : 'contains half of a surrogate pair'
}

/** Truncates a text without splitting a surrogate pair. */
export function beginningOf(text: string, length: number): string {
  const cut = text.slice(0, length)
  return cut.isWellFormed() ? cut : cut.replace(/[\uD800-\uDBFF]$/, '').toWellFormed()
}

/** Replaces line breaks, other control characters and runs of spaces with one space. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

/** Masks the values of query parameters whose names suggest a secret, for logs. */
export function withoutSecrets(url: string): string {
  return url.replace(/([?&][^=&?]*(?:token|password|secret|key|auth)[^=&?]*=)[^&]*/gi, '$1***')
}
