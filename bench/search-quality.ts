import { Random } from '../demo/random.ts'

type Mistake = (word: string, random: Random) => string

const LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,."
const RUSSIAN = 'йцукенгшщзхъфывапролджэячсмитьбю'
/** One of several ways to transliterate a letter. */
const LATIN_FOR: Record<string, string> = Object.fromEntries(
  [...'абвгдезийклмнопрстуфыэё'].map((letter, index) => [letter, [...'abvgdeziyklmnoprstufyee'][index] ?? '']),
)
Object.assign(LATIN_FOR, {
  ж: 'zh',
  х: 'kh',
  ц: 'ts',
  ч: 'ch',
  ш: 'sh',
  щ: 'shch',
  ю: 'yu',
  я: 'ya',
  ь: '',
  ъ: '',
})
const RUSSIAN_FOR: [string, string][] = [
  ...[['sh', 'ш'] as const, ['ch', 'ч'] as const, ['ph', 'ф'] as const, ['th', 'т'] as const],
  ...[['ck', 'к'] as const, ['oo', 'у'] as const, ['ee', 'и'] as const, ['x', 'кс'] as const],
  ...[...'abcdefghijklmnopqrstuvwyz'].map(
    (letter, index) => [letter, [...'абкдефгхижклмнопкрстуввиз'][index] ?? ''] as const,
  ),
].map(([from, to]) => [from, to])
const FORMS: [RegExp, string[]][] = [
  [/ый$/, ['ого', 'ые', 'ая', 'ых']],
  [/ая$/, ['ой', 'ые', 'ую']],
  [/([гкх])$/, ['$1а', '$1у', '$1и']],
  [/([жчшщц])$/, ['$1а', '$1у', '$1ем']],
  [/([гкхжчшщ])а$/, ['$1и', '$1у']],
  [/а$/, ['ы', 'у', 'ой']],
  [/ь$/, ['и', 'ей', 'ю']],
  [/([бвдзлмнпрстф])$/, ['$1а', '$1у', '$1ом', '$1ы']],
  [/([a-z]{3}[^s])$/, ['$1s']],
]

const MISTAKES: Record<string, Mistake> = {
  'letters swapped': (word, random) => {
    const index = random.int(0, word.length - 2)
    return word.slice(0, index) + word[index + 1] + word[index] + word.slice(index + 2)
  },
  'a letter dropped': (word, random) => without(word, random.int(0, word.length - 1)),
  'a letter doubled': (word, random) => {
    const index = random.int(0, word.length - 1)
    return word.slice(0, index) + word[index] + word.slice(index)
  },
  'a letter replaced': (word, random) => {
    const index = random.int(0, word.length - 1)
    const letters = isRussian(word) ? 'абвгдежзиклмнопрстуфхцчшыэюя' : 'abcdefghijklmnopqrstuvwxyz'
    return word.slice(0, index) + random.pick([...letters]) + word.slice(index + 1)
  },
  'another form': (word, random) => {
    const [ending, others] = FORMS.find(([pattern]) => pattern.test(word)) ?? [/$/, ['']]
    return word.replace(ending, random.pick(others))
  },
  'the other layout': (word) =>
    [...word].map((sign) => LATIN[RUSSIAN.indexOf(sign)] ?? RUSSIAN[LATIN.indexOf(sign)] ?? sign).join(''),
  'the other script': (word) =>
    isRussian(word)
      ? [...word].map((letter) => LATIN_FOR[letter] ?? letter).join('')
      : RUSSIAN_FOR.reduce((text, [from, to]) => text.replaceAll(from, to), word),
}

const WORD = /(?<![\p{L}\p{N}])(?:[a-z]{4,}|[а-я]{4,})(?![\p{L}\p{N}])/gu

/** What is mistyped: words of names, and what names write in one of several ways. */
const SAMPLES: { kinds: Record<string, Mistake>; written: RegExp }[] = [
  { kinds: MISTAKES, written: WORD },
  {
    kinds: { 'decimal sign': (part) => part.replace(/[.,]/, (sign) => (sign === ',' ? '.' : ',')) },
    written: /(?<![\p{L}\p{N}.,])\d{1,3}[.,]\d{1,2}(?![\p{N}.,])\p{L}*/gu,
  },
  {
    kinds: {
      'size sign': (part, random) => {
        const sign = random.pick([...'xх×*'].filter((other) => !part.includes(other)))
        return part.replace(/ ?[xх×*] ?(?=\d)/g, sign)
      },
    },
    written: /(?<![\p{L}\p{N}.,])\p{L}?\d+(?: ?[xх×*] ?\d+)+(?![\p{L}\p{N}.,])/gu,
  },
  {
    kinds: {
      'hyphen or blank': (part, random) =>
        part.includes('-') ? part.replace('-', random.pick([' ', ''])) : part.replace(' ', '-'),
    },
    written: /(?<![\p{L}\p{N}-])\p{L}{3,}[- ]\p{L}{3,}(?![\p{L}\p{N}-])/gu,
  },
  {
    kinds: {
      'invisible character': (part, random) => {
        const index = random.int(1, part.length - 1)
        return part.slice(0, index) + random.pick(['\u00AD', '\u200B']) + part.slice(index)
      },
    },
    written: /(?<![\p{L}\p{N}])\p{L}{4,}(?![\p{L}\p{N}])/gu,
  },
]

type Searched = { names: string[]; total: number; ms: number }
type Pair = { name: string; words: [string, string]; ms: number }

/**
 * Searches for two words of a product, one of them misspelt: how often the product is still among the first five, and what
 * the correction costs. Mistakes are generated, not chosen.
 */
export async function searchQuality(shopUrl: string, names: string[], size: number) {
  const random = new Random(20_261_122)
  const table: Record<string, Record<string, number | string>> = {}
  for (const { kinds, written } of SAMPLES) {
    const pairs = await pairsThatFind(shopUrl, names, { size, random, written })
    const exact = median(pairs.map(({ ms }) => ms))
    for (const [kind, spoil] of Object.entries(kinds)) {
      const times: number[] = []
      let found = 0
      for (const { name, words } of pairs) {
        const wrong = spoil(words[0], random)
        if (wrong === words[0]) continue
        const answer = await search(shopUrl, `${wrong} ${words[1]}`)
        times.push(answer.ms)
        if (answer.names.includes(name)) found += 1
      }
      table[kind] = {
        searches: times.length,
        'in the first five': share(found, times.length),
        'ms, half of them': median(times),
        'of an exact one': share(median(times), exact),
      }
    }
  }
  table['decimal sign, whole names'] = await wholeNames(shopUrl, names)
  const nonsense = Array.from({ length: size }, (_, index) => gibberish(random, index % 2 === 0))
  const answers: Searched[] = []
  for (const word of nonsense) answers.push(await search(shopUrl, word))
  table.nonsense = {
    searches: size,
    'finds something': share(answers.filter(({ total }) => total > 0).length, size),
    'ms, half of them': median(answers.map(({ ms }) => ms)),
  }
  return table
}

/** @param written what the first of the two must be like in the name */
async function pairsThatFind(
  shopUrl: string,
  names: string[],
  { size, random, written }: { size: number; random: Random; written: RegExp },
): Promise<Pair[]> {
  const pairs: Pair[] = []
  const suitable = names.filter((name) => name.toLowerCase().search(written) >= 0)
  for (let tries = 0; pairs.length < size && tries < size * 20; tries++) {
    const name = random.pick(suitable)
    const lower = name.toLowerCase().replaceAll('ё', 'е')
    const first = random.pick(lower.match(written) ?? [''])
    const second = random.pick([...(lower.match(WORD) ?? []).filter((word) => !first.includes(word)), ''])
    if (first === '' || second === '') continue
    const answer = await search(shopUrl, `${first} ${second}`)
    if (answer.names.includes(name)) pairs.push({ name, words: [first, second], ms: answer.ms })
  }
  return pairs
}

/** How many names with a decimal comma are found within the first twenty when all of the name is typed with a point. */
async function wholeNames(shopUrl: string, names: string[]) {
  const written = [...new Set(names)].filter((name) => /\d,\d/.test(name))
  let found = 0
  for (const name of written) {
    const answer = await search(shopUrl, name.replace(/(?<=\d),(?=\d)/g, '.'), 20)
    if (answer.names.includes(name)) found += 1
  }
  return { searches: written.length, 'in the first twenty': found }
}

async function search(shopUrl: string, text: string, size = 5): Promise<Searched> {
  const begun = performance.now()
  const response = await fetch(`${shopUrl}/api/v1/products?size=${size}&search=${encodeURIComponent(text)}`)
  const page: { content: { name: string }[]; totalElements: number } = JSON.parse(await response.text())
  return {
    names: page.content.map(({ name }) => name),
    total: page.totalElements,
    ms: performance.now() - begun,
  }
}

function gibberish(random: Random, russian: boolean): string {
  const letters = [...(russian ? 'абвгдежзиклмнопрстуфхцчшыэюя' : 'abcdefghijklmnopqrstuvwxyz')]
  return Array.from({ length: random.int(6, 9) }, () => random.pick(letters)).join('')
}

function without(word: string, index: number): string {
  return word.slice(0, index) + word.slice(index + 1)
}

function isRussian(word: string): boolean {
  return /[а-я]/.test(word)
}

function median(numbers: number[]): number {
  return Math.round((numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0) * 10) / 10
}

function share(part: number, whole: number): string {
  return `${Math.round((part / Math.max(1, whole)) * 100)} %`
}
