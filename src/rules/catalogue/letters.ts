import { lettersTo, replaceLetters } from '../fold.ts'

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

/** The number of typing errors to correct in a word of this length (docs/search.md). */
export function errorsAllowed(word: string): 0 | 1 | 2 {
  const letters = word.replace(/\P{L}+/gu, '').length
  if (letters < 3) return 0
  return letters < 8 || letters < word.length ? 1 : 2
}

/** The numbers in a word, which are never corrected. */
export function numbersOf(word: string): string {
  return word.match(/[0-9]+(?:\.[0-9]+)*/g)?.join(' ') ?? ''
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

/** The text as typed in the other keyboard layout: `rfhnhbl;` is «картридж». A decimal point was typed as one. */
export function otherLayout(text: string): string {
  const parts = text.toLowerCase().split(/(?<=[0-9])\.(?=[0-9])/)
  return parts.map((part) => replaceLetters(replaceLetters(part, UNSHIFTED), OTHER_KEY)).join('.')
}
