import {
  errorsAllowed,
  normalise,
  soundAlike,
  soundOf,
  typingErrors,
  wordsOfName,
} from '../../rules/catalogue/search.ts'
import { createWordText } from './word-index.ts'

/** A word to look for. `literal`: as it stands anywhere in the name; `stem`: what its grammatical forms share, or ''. */
export type SoughtWord = { text: string; literal: boolean; stem: string }

/** A word that may have been meant. */
export type SimilarWord = {
  word: string
  /** How many products have it. */
  products: number
  /** How many letters were mistyped; of one that only sounds alike, in what both sound like. */
  errors: number
  sounds: boolean
}

const NOWHERE = -1

/** Of each kind, the best. */
const MAX_SIMILAR = 30
const MAX_ALIKE = 10
/** Words whose places in the vocabulary are kept. */
const MAX_CACHED_LOOKUPS = 2000

/**
 * The words of products' names: which products have a word, and which words there are (contract section 4, "search").
 * Products go by their places, which whoever holds the products knows.
 */
export type ProductWords = {
  /**
   * The words of one more product, or of one that may have been renamed.
   * @param stemOf of each word of the name
   * @returns whether it was
   */
  put(place: number, name: string, stemOf: (word: string) => string): boolean
  remove(place: number): void
  /** @param order at each new place the former one */
  rearrange(order: Uint32Array): void
  /**
   * Marks the places that have all the words with 1 and how well they do: 0 best, as words of the name, then in other
   * forms, then inside of words.
   */
  match(words: readonly SoughtWord[], marks: Uint8Array, levels: Uint8Array): void
  /** How long a name is, counted in its words. */
  lengthAt(place: number): number
  /** The different words of a name. */
  wordsAt(place: number): string[]
  /** Stem of a word that a name has. */
  stemOf(word: string): string | undefined
  /** How many words there are, and how many of them a name has. */
  readonly known: number
  readonly used: number
  /** Whether a name has the word, one that it begins, or another form of it. */
  isKnown(word: string, stem: string): boolean
  /** Words that may have been meant: those mistyped, then those that only sound alike, the best of each first. */
  similarTo(word: string): SimilarWord[]
  /** The words that begin so, each with the places that have it. */
  beginning(text: string): { word: string; places: readonly number[] }[]
  /** Marks the places whose names have for each of these a word that begins so. */
  matchBeginnings(texts: readonly string[], marks: Uint8Array): void
}

export function createProductWords(): ProductWords {
  const numbers = new Map<string, number>()
  const words: string[] = []
  const stems: string[] = []
  const byStem = new Map<string, number[]>()
  /** At each word's number the places that have it. */
  const placesOf: number[][] = []
  const vocabulary = createWordText()
  const sounds = createWordText()
  let used = 0
  let numbersAt: number[][] = []
  let nameAt: string[] = []
  let lengthAt: number[] = []
  /** Numbers of the words that a sought one is found as. */
  const kept = new Map<string, number[][]>()

  function numberOf(word: string, stem: string): number {
    const known = numbers.get(word)
    if (known !== undefined) return known
    const number = words.push(word) - 1
    numbers.set(word, number)
    stems.push(stem)
    placesOf.push([])
    vocabulary.add(word)
    sounds.add(soundOf(word))
    const forms = byStem.get(stem)
    if (stem !== '' && forms) forms.push(number)
    else if (stem !== '') byStem.set(stem, [number])
    kept.clear()
    return number
  }

  function remove(place: number): void {
    for (const number of numbersAt[place] ?? []) {
      const places = placesOf[number] ?? []
      const at = places.indexOf(place)
      places[at] = places.at(-1) ?? place
      places.pop()
      if (places.length === 0) used -= 1
    }
    numbersAt[place] = []
    nameAt[place] = ''
  }

  /** As a word of its own, in its forms, inside of words; a word of two letters is inside of everything, so it begins them. */
  function readingsOf({ text, stem }: SoughtWord): number[][] {
    const key = `${text} ${stem}`
    const known = kept.get(key)
    if (known) return known
    const whole = numbers.get(text)
    const inside = [...text].length < 3 ? vocabulary.beginning(text) : vocabulary.having(text)
    const found = [whole === undefined ? [] : [whole], byStem.get(stem) ?? [], inside]
    if (kept.size >= MAX_CACHED_LOOKUPS) kept.clear()
    kept.set(key, found)
    return found
  }

  /** Moves the places that have one of these words, and had all before, up to the next number. */
  function advance(marks: Uint8Array, index: number, found: number[], note?: (place: number) => void): void {
    for (const number of found) {
      for (const place of placesOf[number] ?? []) {
        if (marks[place] !== index) continue
        marks[place] = index + 1
        note?.(place)
      }
    }
  }

  /** Only places that came up to this number are marked from then on. */
  function keepAll(marks: Uint8Array, index: number, isKept = (_place: number) => true): void {
    for (let place = 0; place < nameAt.length; place++) {
      marks[place] = marks[place] === index && isKept(place) ? 1 : 0
    }
  }

  function similarOf(numbersOf: Iterable<number>, errorsOf: (number: number) => number, most: number) {
    const similar: { number: number; errors: number; products: number }[] = []
    for (const number of new Set(numbersOf)) {
      const products = placesOf[number]?.length ?? 0
      const errors = products === 0 ? Number.POSITIVE_INFINITY : errorsOf(number)
      if (errors < Number.POSITIVE_INFINITY) similar.push({ number, errors, products })
    }
    return similar
      .sort((a, b) => a.errors - b.errors || b.products - a.products || a.number - b.number)
      .slice(0, most)
      .map(({ number, errors, products }) => ({ word: words[number] ?? '', errors, products }))
  }

  /**
   * With one error either the first or the last half of a word is intact; with two one of its thirds, unless one of them
   * is a swap on their border.
   */
  function misspelt(word: string) {
    const letters = [...word]
    const { length } = letters
    const most = errorsAllowed(word)
    if (most === 0) return []
    const part = most === 1 ? Math.floor((length - 1) / 2) : Math.floor(length / 3)
    const near = [
      ...vocabulary.beginning(letters.slice(0, part).join('')),
      ...vocabulary.ending(letters.slice(-part).join('')),
      ...(most === 1 ? [] : vocabulary.having(letters.slice(part, length - part).join(''))),
    ]
    return similarOf(near, (number) => within(most, word, words[number] ?? ''), MAX_SIMILAR)
  }

  function soundingLike(word: string) {
    const sound = soundOf(word)
    if (sound.length < 3 || errorsAllowed(word) === 0) return []
    const part = Math.floor((sound.length - 1) / 2)
    const near = [...sounds.beginning(sound.slice(0, part)), ...sounds.ending(sound.slice(-part))]
    const errorsIn = (other: string) =>
      soundAlike(sound, other) ? Number(sound !== other) : Number.POSITIVE_INFINITY
    return similarOf(near, (number) => errorsIn(sounds.at(number)), MAX_ALIKE)
  }

  return {
    put(place, name, stemOf) {
      const normalised = normalise(name)
      if (nameAt[place] === normalised) return false
      remove(place)
      const own = wordsOfName(name)
      const distinct = [...new Set(own)].map((word) => numberOf(word, stemOf(word)))
      for (const number of distinct) if (placesOf[number]?.push(place) === 1) used += 1
      numbersAt[place] = distinct
      nameAt[place] = normalised
      lengthAt[place] = own.reduce((sum, { length }) => sum + length + 1, 0)
      return true
    },
    remove,
    rearrange(order) {
      const placeNow = new Int32Array(nameAt.length).fill(NOWHERE)
      for (const [place, former] of order.entries()) placeNow[former] = place
      for (const [number, former] of placesOf.entries()) {
        placesOf[number] = former
          .map((place) => placeNow[place] ?? NOWHERE)
          .filter((place) => place !== NOWHERE)
      }
      numbersAt = Array.from(order, (former) => numbersAt[former] ?? [])
      nameAt = Array.from(order, (former) => nameAt[former] ?? '')
      lengthAt = Array.from(order, (former) => lengthAt[former] ?? 0)
    },
    match(sought, marks, levels) {
      const compared = sought.filter(({ literal }) => !literal)
      const isNowhere = (word: SoughtWord) => readingsOf(word).every((found) => found.length === 0)
      if (compared.some(isNowhere)) return
      for (const [index, word] of compared.entries()) {
        for (const [level, found] of readingsOf(word).entries()) {
          advance(marks, index, found, (place) => {
            levels[place] = worse(levels[place] ?? 0, level)
          })
        }
      }
      const signs = sought.filter(({ literal }) => literal)
      keepAll(marks, compared.length, (place) => signs.every(({ text }) => nameAt[place]?.includes(text)))
    },
    matchBeginnings(texts, marks) {
      for (const [index, text] of texts.entries()) advance(marks, index, vocabulary.beginning(text))
      keepAll(marks, texts.length)
    },
    lengthAt: (place) => lengthAt[place] ?? 0,
    wordsAt: (place) => (numbersAt[place] ?? []).map((number) => words[number] ?? ''),
    stemOf(word) {
      const number = numbers.get(word)
      return number === undefined ? undefined : stems[number]
    },
    get known() {
      return words.length
    },
    get used() {
      return used
    },
    isKnown(word, stem) {
      const found = [...(byStem.get(stem) ?? []), ...vocabulary.beginning(word)]
      return found.some((number) => (placesOf[number] ?? []).length > 0)
    },
    similarTo: (word) => [
      ...misspelt(word).map((one) => ({ ...one, sounds: false })),
      ...soundingLike(word).map((one) => ({ ...one, sounds: true })),
    ],
    beginning: (text) =>
      vocabulary
        .beginning(text)
        .map((number) => ({ word: words[number] ?? '', places: placesOf[number] ?? [] })),
  }
}

/** More than the levels of ten words come to. */
const BY_WORST = 32

/** What of several words counts first is the worst of them, then all together. */
function worse(known: number, level: number): number {
  const worst = Math.max(Math.floor(known / BY_WORST), level)
  return worst * BY_WORST + (known % BY_WORST) + level
}

/** How many errors one word has against the other; more than may be count as infinitely many. */
function within(most: number, asked: string, word: string): number {
  if (Math.abs(asked.length - word.length) > most) return Number.POSITIVE_INFINITY
  const errors = typingErrors(asked, word)
  return errors > most ? Number.POSITIVE_INFINITY : errors
}
