const DEEPEST = 100

type Unstorable = { path: string; message: string }

/**
 * The path of the first text in a value that PostgreSQL can't store (U+0000, a lone surrogate), or of nesting
 * deeper than any answer could be written out again; null when there is none. Keys count as text.
 */
export function findUnstorable(value: unknown): Unstorable | null {
  const { value: first } = unstorableTexts(value).next()
  return first ?? null
}

/** The same for all of them, one after the other. */
export function* unstorableTexts(value: unknown): Generator<Unstorable, undefined> {
  const open: { value: unknown; path: string; depth: number }[] = [{ value, path: '', depth: 0 }]
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (typeof item.value === 'string') {
      const message = unstorable(item.value)
      if (message) yield { path: item.path, message }
    } else if (typeof item.value === 'object' && item.value !== null) {
      if (item.depth >= DEEPEST) {
        yield { path: item.path, message: `is nested deeper than ${DEEPEST} levels` }
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

/** What is wrong with a text that can't be stored; null when nothing is. */
export function unstorable(text: string): string | null {
  if (text.includes('\0')) return 'holds the character U+0000'
  return text.isWellFormed() ? null : 'holds half of a surrogate pair'
}

/** The first so many characters of a text; one that the cut would halve is left out, as half of it can't be stored. */
export function beginningOf(text: string, length: number): string {
  const cut = text.slice(0, length)
  return cut.isWellFormed() ? cut : cut.replace(/[\uD800-\uDBFF]$/, '').toWellFormed()
}

/** The text on one line: line breaks and other control characters are spaces, and spaces don't repeat. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

/** An address for the log: of what names itself a secret, the value is left out. */
export function withoutSecrets(url: string): string {
  return url.replace(/([?&][^=&?]*(?:token|password|secret|key|auth)[^=&?]*=)[^&]*/gi, '$1***')
}
