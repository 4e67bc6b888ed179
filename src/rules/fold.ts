import { withFewMarks, withoutInvisible } from './text.ts'

/** Maps each letter to the text at the same place. */
export function lettersTo(letters: string, texts: Iterable<string>): Map<string, string> {
  const all = [...texts]
  return new Map([...letters].map((letter, at) => [letter, all[at] ?? '']))
}

export function replaceLetters(text: string, by: ReadonlyMap<string, string>): string {
  return [...text].map((letter) => by.get(letter) ?? letter).join('')
}

/** Most names have nothing else. */
const PLAIN = /^[ -~а-яА-Я]*$/
const SIGNS = /[№™℠®©]/g
/** All but that of й. */
const ACCENTS = /(?<![иИ])\u0306|[\u0300-\u0305\u0307-\u036f]/g
/** Letters without a decomposition. */
const LETTERS = lettersTo(
  'æœßþøłđðıħŧŋςΣÆŒẞÞØŁĐÐĦŦŊ',
  'ae oe ss th o l d d i h t n σ σ AE OE SS TH O L D D H T N'.split(' '),
)
const DECIMAL_COMMA = /(?<=[0-9]),(?=[0-9])/g
/** Between digits; letters not where they end the number before them (`4x 25`). */
const SIZE_SIGN = /(?<=[0-9])(?: ?[×*] ?| ?[xх]| [xх] )(?=[0-9])/g

/** Each letter and sign as `fold` compares it, but for its case: the part of the fold that doesn't depend on others around it. */
export function foldLetters(text: string): string {
  if (PLAIN.test(text)) return text
  const visible = withoutInvisible(text).replace(SIGNS, ' ')
  const decomposed = withFewMarks(visible).normalize('NFKD').replace(ACCENTS, '')
  return replaceLetters(decomposed, LETTERS)
    .normalize('NFC')
    .replace(/\p{Dash}/gu, '-')
    .replace(/[‘’ʼ]/g, "'")
}

/**
 * A text as it is compared with others, in all searches and filters (docs/catalogue.md): as people see and type it. On one
 * line, in lower case, without what can't be seen and without accents, with ё as е; full-width forms, dashes and apostrophes as
 * plain ones; between digits a point for the decimal comma, and x for a size sign. The database's function `fold` does the same.
 */
export function fold(text: string): string {
  const line = foldLetters(text)
    .toLowerCase()
    .replace(/\s{2,}|[^\S ]/g, ' ')
    .trim()
  return /[0-9][ ,x×*х]/.test(line) ? line.replace(DECIMAL_COMMA, '.').replace(SIZE_SIGN, 'x') : line
}

const CYRILLIC = /\p{Script=Cyrillic}/u

/** Cyrillic letters that look like Latin ones, some of them only when written by hand. */
const LATIN_LOOKS = lettersTo('авгеіјкмнорстухѕһ', 'abreijkmhopctyxsh')

export function isCyrillic(word: string): boolean {
  return CYRILLIC.test(word)
}

/** A folded word with Latin letters for the Cyrillic ones that look like them. */
export function lookOf(word: string): string {
  return CYRILLIC.test(word) ? replaceLetters(word, LATIN_LOOKS) : word
}

/** Does so where readers can't tell the script of a word: that of an article number, or of mixed letters. */
export function foldScripts(word: string): string {
  return /[0-9a-z]/.test(word) ? lookOf(word) : word
}
