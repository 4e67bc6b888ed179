/** Maps each letter to the text at the same place. */
function lettersTo(letters: string, texts: Iterable<string>): Map<string, string> {
  const all = [...texts]
  return new Map([...letters].map((letter, at) => [letter, all[at] ?? '']))
}

function replaceLetters(text: string, by: ReadonlyMap<string, string>): string {
  return [...text].map((letter) => by.get(letter) ?? letter).join('')
}

/** Letters without a decomposition. */
const FOLDED = lettersTo('æœßþøłđðıħŧŋ', 'ae oe ss th o l d d i h t n'.split(' '))

/** Lower case, with ё as е, and without accents except that of й. */
export function normalise(text: string): string {
  // Most names have nothing to decompose.
  if (/^[ -~а-яА-Я]*$/.test(text)) return text.toLowerCase()
  const decomposed = text
    .replace(/[№™℠®©]/g, ' ')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(?<!и)\u0306|[\u0300-\u0305\u0307-\u036f]/g, '')
  return replaceLetters(decomposed, FOLDED).normalize('NFC')
}

const CYRILLIC = /\p{Script=Cyrillic}/u

/** Cyrillic letters that look like Latin ones, some of them only when written by hand. */
const LATIN_LOOKS = lettersTo('авгеіјкмнорстухѕһ', 'abreijkmhopctyxsh')

/** The word in the Latin letters that its Cyrillic ones look like: `xerox` for «хегох»; null if one has no look-alike. */
export function lookOf(word: string): string | null {
  const look = replaceLetters(word, LATIN_LOOKS)
  return CYRILLIC.test(look) ? null : look
}

/**
 * Writes Cyrillic letters as the Latin ones that they look like where readers can't tell the script of a word: that of an
 * article number, or of mixed letters.
 */
export function foldScripts(word: string): string {
  const isCertain = !CYRILLIC.test(word) || !/[\p{N}\p{Script=Latin}]/u.test(word)
  return isCertain ? word : replaceLetters(word, LATIN_LOOKS)
}

export function isCyrillic(word: string): boolean {
  return CYRILLIC.test(word)
}

/** Transliterates Cyrillic letters. */
const LATIN = lettersTo(
  'абвгдежзийклмнопрстуфхцчшщыэюяъь',
  'a b v g d e zh z i i k l m n o p r s t u f h c ch sh shch i e yu ya'.split(' '),
)

/** Latin spellings of sounds, the longer ones first, so that words sound the same in either script. */
const SOUNDS: [RegExp, string][] = [
  [/shch|sch|tsch/g, 's'],
  [/tch|ch|ck|kh|qu|cz/g, 'k'],
  [/sh|zh/g, 's'],
  [/ph/g, 'f'],
  [/th/g, 't'],
  [/gh/g, 'g'],
  [/ts|tz/g, 's'],
  [/x/g, 'ks'],
  [/c(?=[eiy])/g, 's'],
  [/[cq]/g, 'k'],
  [/w/g, 'v'],
  [/oo|ou/g, 'u'],
  [/ee|ea/g, 'i'],
  [/[jy](?=[aeou])|i(?=[aou])/g, ''],
  [/[jy]/g, 'i'],
  [/z/g, 's'],
  [/(.)\1+/g, '$1'],
]

/** The sound of a word in either script: that of «самсунг» equals that of `samsung`. */
export function soundOf(word: string): string {
  return SOUNDS.reduce((text, [spelling, sound]) => text.replace(spelling, sound), replaceLetters(word, LATIN))
}

/** The number of typing errors to correct in a word of this length (contract section 4, "search"). */
export function errorsAllowed(word: string): 0 | 1 | 2 {
  const { length } = [...word]
  if (length < 3 || !/\p{L}/u.test(word)) return 0
  return length < 8 || /\p{N}/u.test(word) ? 1 : 2
}

/** Counts dropped, added, replaced and swapped neighbouring letters (optimal string alignment distance). */
export function typingErrors(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const least = Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(isSwapped ? Math.min(least, (beforeLast[j - 2] ?? 0) + 1) : least)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}

/** Shorter sounds resemble that of some word too often. */
const MIN_LONG_SOUND = 5

/** Whether two sounds may be of the same word: equal but for one letter, which in short sounds has to be a vowel. */
export function soundAlike(a: string, b: string): boolean {
  if (a === b) return true
  if (Math.abs(a.length - b.length) > 1 || typingErrors(a, b) > 1) return false
  const shorter = Math.min(a.length, b.length)
  return shorter >= MIN_LONG_SOUND || (shorter === MIN_LONG_SOUND - 1 && consonantsOf(a) === consonantsOf(b))
}

function consonantsOf(sound: string): string {
  return sound.replace(/[aeiou]/g, '').replace(/(.)\1+/g, '$1')
}

const LATIN_KEYS = "`qwertyuiop[]asdfghjkl;'zxcvbnm,."
const RUSSIAN_KEYS = 'ёйцукенгшщзхъфывапролджэячсмитьбю'
const OTHER_KEY = lettersTo(LATIN_KEYS + RUSSIAN_KEYS, RUSSIAN_KEYS + LATIN_KEYS)
/** Signs typed with the shift key. */
const UNSHIFTED = lettersTo('{}:"<>~', "[];',.`")

/** The text as typed in the other keyboard layout: `rfhnhbl;` is «картридж». */
export function otherLayout(text: string): string {
  return replaceLetters(replaceLetters(text.toLowerCase(), UNSHIFTED), OTHER_KEY)
}
