/** Words by pieces of them: the numbers of those that begin with one, end with it, or have it inside. */
export type WordText = {
  add(word: string): void
  at(number: number): string
  beginning(piece: string): number[]
  ending(piece: string): number[]
  having(piece: string): number[]
}

/** Words are put together by so many letters at their beginnings and ends. */
const KEY = 2

export function createWordText(): WordText {
  const words: string[] = []
  const byBeginning = new Map<string, number[]>()
  const byEnd = new Map<string, number[]>()
  /** All words, a space on both sides of each: a search through it is one the engine is quick at. */
  let text = ' '
  /** Where in the text each word begins, at the space before it. */
  let starts = new Uint32Array(1024)
  /** How many of the words are in the text. */
  let joined = 0

  function join(): void {
    const added = words.slice(joined)
    if (words.length >= starts.length) {
      const longer = new Uint32Array(2 * words.length)
      longer.set(starts)
      starts = longer
    }
    let at = text.length - 1
    for (const { length } of added) {
      starts[joined++] = at
      at += length + 1
    }
    starts[joined] = at
    text += `${added.join(' ')} `
  }

  /** The last word that begins here or before. */
  function wordAt(at: number): number {
    let [low, high] = [0, words.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle - 1
    }
    return low
  }

  function having(piece: string): number[] {
    if (joined < words.length) join()
    const found: number[] = []
    for (let at = text.indexOf(piece); at !== -1 && words.length > 0; ) {
      const number = wordAt(at)
      found.push(number)
      at = text.indexOf(piece, starts[number + 1])
    }
    return found
  }

  return {
    add(word) {
      const number = words.push(word) - 1
      note(byBeginning, word.slice(0, KEY), number)
      note(byEnd, word.slice(-KEY), number)
    },
    at: (number) => words[number] ?? '',
    beginning(piece) {
      if (piece.length < KEY) return having(` ${piece}`)
      const near = byBeginning.get(piece.slice(0, KEY)) ?? []
      return near.filter((number) => words[number]?.startsWith(piece))
    },
    ending(piece) {
      if (piece.length < KEY) return having(`${piece} `)
      const near = byEnd.get(piece.slice(-KEY)) ?? []
      return near.filter((number) => words[number]?.endsWith(piece))
    },
    having,
  }
}

function note(numbers: Map<string, number[]>, key: string, number: number): void {
  const known = numbers.get(key)
  if (known) known.push(number)
  else numbers.set(key, [number])
}
