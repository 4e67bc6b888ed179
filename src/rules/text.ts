import { LANGUAGES, type Language } from '../errors.ts'
import type { FaultReason } from './faults/sentences.ts'

const MAX_DEPTH = 100

type UnstorableCode = 'NULL_CHARACTER' | 'HALF_CHARACTER' | 'NUMBER_TOO_LARGE' | 'TOO_DEEP'
export type Unstorable = { path: string[]; reason: Extract<FaultReason, { code: UnstorableCode }> }

/**
 * Finds texts and keys that PostgreSQL can't store (U+0000, a lone surrogate), numbers that JSON can't represent (1e400
 * parses to Infinity), and nesting that is too deep to serialise. Costs less than parsing the same JSON, since a path is
 * built only for what was found.
 * @param max stops after so many
 */
export function findUnstorable(value: unknown, max = 1): Unstorable[] {
  const found: Unstorable[] = []
  const path: (string | number)[] = []
  const report = (reason: Unstorable['reason']) => found.push({ path: path.map(String), reason })

  function visit(item: unknown): void {
    if (typeof item === 'string') {
      const code = unstorable(item)
      if (code) report({ code })
    } else if (typeof item === 'number' && !Number.isFinite(item)) {
      report({ code: 'NUMBER_TOO_LARGE' })
    } else if (typeof item === 'object' && item !== null) {
      if (path.length >= MAX_DEPTH) report({ code: 'TOO_DEEP', params: { max: MAX_DEPTH } })
      else if (Array.isArray(item)) visitItems(item)
      else visitMembers(item)
    }
  }

  function visitItems(items: unknown[]): void {
    for (let index = 0; index < items.length && found.length < max; index++) {
      path.push(index)
      visit(items[index])
      path.pop()
    }
  }

  function visitMembers(members: object): void {
    for (const key in members) {
      if (found.length >= max) return
      const code = unstorable(key)
      if (code) report({ code })
      path.push(key)
      if (!code) visit(Reflect.get(members, key))
      path.pop()
    }
  }

  visit(value)
  return found
}

/** Why a text can't be stored; null if it can. */
export function unstorable(text: string): 'NULL_CHARACTER' | 'HALF_CHARACTER' | null {
  if (text.includes('\0')) return 'NULL_CHARACTER'
  return text.isWellFormed() ? null : 'HALF_CHARACTER'
}

/** What a text must contain not to be blank; characters without width look like none. */
export const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u
/** The same for a text that becomes one line, without control characters. */
export const VISIBLE_LINE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u

/** Truncates a text without splitting a surrogate pair. */
export function beginningOf(text: string, length: number): string {
  const cut = text.slice(0, length)
  return cut.isWellFormed() ? cut : cut.replace(/[\uD800-\uDBFF]$/, '').toWellFormed()
}

/** Replaces line breaks, other control characters and runs of spaces with one space. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

/** A text as it is stored: blank is none, undefined not given. */
export function textOrNull(text: string | null | undefined): string | null | undefined {
  return text === undefined ? undefined : text?.trim() || null
}

/** The same on one line. */
export function lineOrNull(text: string | null | undefined): string | null | undefined {
  return textOrNull(text && oneLine(text))
}

/** A time as it is stored, cut to milliseconds, since PostgreSQL would round it. */
export function timeOrNull(time: string | null | undefined): Date | null | undefined {
  return time == null ? time : new Date(time)
}

/** No language needs more (Unicode's "Stream-Safe Text Format"). */
const MAX_MARKS = 30

/** Removes what can't be seen: soft hyphens, characters without width, the direction marks that come with copied text. */
export function withoutInvisible(text: string): string {
  return text.replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
}

/** Cuts long runs of combining marks: normalising them takes quadratic time. */
export function withFewMarks(text: string): string {
  return text.replace(/\p{M}+/gu, (marks) => beginningOf(marks, MAX_MARKS))
}

/** Brings a text to Unicode form NFC. */
export function toNfc(text: string): string {
  return withFewMarks(text).normalize()
}

/** Reads a name onto one line, in Unicode form NFC. */
export function readName(text: string): string {
  return toNfc(oneLine(text))
}

/** The column of a member of JSON: `metaTitle` is stored as `meta_title`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** PostgreSQL's indexes take no text of more than about 2700 bytes. */
const MAX_URL_BYTES = 2000

/** Trims an http(s) URL; null for anything else. */
export function readUrl(text: string): string | null {
  const url = text.trim()
  const isUrl = Buffer.byteLength(url) <= MAX_URL_BYTES && /^https?:\/\/[^\s/]\S*$/i.test(url) && URL.canParse(url)
  return isUrl ? url : null
}

/** Masks email addresses in what another server answered, for logs. */
export function withoutAddresses(text: string): string {
  return text.replace(/(?<![^\s<>"'(),:;])[^\s<>"'(),:;]+@[^\s<>"'(),:;]+/g, '<address>')
}

/** Decodes percent-encoding; text that is not valid percent-encoding stays as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Longer headers are cut, as 15 000 commas would take milliseconds; those of browsers have a tenth of this length. */
const MAX_WEIGHTS_LENGTH = 1000

/**
 * Reads the weights of a header such as Accept or Accept-Language (RFC 9110, section 12.4.2), by what it names, in lower
 * case; an invalid weight is 0.
 */
export function readWeights(header: string | string[] | undefined): Map<string, number> {
  const weights = new Map<string, number>()
  const text = String(header ?? '').slice(0, MAX_WEIGHTS_LENGTH)
  for (const part of text.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    if (name !== '') weights.set(name, quality === undefined ? 1 : Number(quality) || 0)
  }
  return weights
}

/** The language that an Accept-Language header prefers; English if it names none of ours. */
export function chooseLanguage(header: string | undefined): Language {
  const languageOf = (tag: string) => LANGUAGES.find((one) => tag === one || tag.startsWith(`${one}-`))
  const accepted = [...readWeights(header)].filter(([, weight]) => weight > 0)
  const preferred = accepted.sort((a, b) => b[1] - a[1]).map(([tag]) => languageOf(tag))
  return preferred.find((language) => language !== undefined) ?? 'en'
}
