export type WordIndex = ReturnType<typeof createWordIndex>

/** Whether text is inside of too many words; it matches their beginnings alone. */
export function isShort(text: string): boolean {
  return [...text].length < GRAM_LENGTH
}

/** Words are grouped by so many letters at their beginnings and ends, and by fewer. */
const KEY_LENGTH = 2
/** And by each sequence of so many letters. */
const GRAM_LENGTH = 3

/** Finds words by parts of them. Words are numbered from 0 as they are added. */
export function createWordIndex() {
  const words: string[] = []
  const byBeginning = new Map<string, number[]>()
  const byEnd = new Map<string, number[]>()
  const byGram = new Map<string, number[]>()

  return {
    add(word: string): void {
      const number = words.push(word) - 1
      for (let length = 1; length <= Math.min(KEY_LENGTH, word.length); length++) {
        append(byBeginning, word.slice(0, length), number)
        append(byEnd, word.slice(-length), number)
      }
      for (const gram of new Set(gramsOf(word))) append(byGram, gram, number)
    },
    at: (number: number): string => words[number] ?? '',
    /** @param piece not empty */
    beginning(piece: string): number[] {
      const near = byBeginning.get(piece.slice(0, KEY_LENGTH)) ?? []
      return near.filter((number) => words[number]?.startsWith(piece))
    },
    /** @param piece not empty */
    ending(piece: string): number[] {
      const near = byEnd.get(piece.slice(-KEY_LENGTH)) ?? []
      return near.filter((number) => words[number]?.endsWith(piece))
    },
    /** @param piece of at least three letters */
    having(piece: string): number[] {
      const groups = gramsOf(piece).map((gram) => byGram.get(gram) ?? [])
      const [rarest = []] = groups.sort((a, b) => a.length - b.length)
      return rarest.filter((number) => words[number]?.includes(piece))
    },
  }
}

function gramsOf(word: string): string[] {
  const grams: string[] = []
  for (let at = 0; at + GRAM_LENGTH <= word.length; at++) grams.push(word.slice(at, at + GRAM_LENGTH))
  return grams
}

function append(numbers: Map<string, number[]>, key: string, number: number): void {
  const known = numbers.get(key)
  if (known) known.push(number)
  else numbers.set(key, [number])
}
