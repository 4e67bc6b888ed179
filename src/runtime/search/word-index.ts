/** Finds words by parts of them. Words are numbered from 0 as they are added. */
export type WordIndex = {
  add(word: string): void
  at(number: number): string
  beginning(piece: string): number[]
  ending(piece: string): number[]
  having(piece: string): number[]
}

/** Whether text is inside of too many words; it matches their beginnings alone. */
export function isShort(text: string): boolean {
  return [...text].length < 3
}

/** Words are grouped by this many letters at their beginnings and ends. */
const KEY_LENGTH = 2

export function createWordIndex(): WordIndex {
  const words: string[] = []
  const byBeginning = new Map<string, number[]>()
  const byEnd = new Map<string, number[]>()
  /** All words with a space on both sides of each: `indexOf` in one string is the quickest search there is. */
  let text = ' '
  /** Where each word begins in the text, at the space before it. */
  let starts = new Uint32Array(1024)
  /** How many of the words have been appended to the text. */
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

  /** The last word that begins here or before; by binary search. */
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
      append(byBeginning, word.slice(0, KEY_LENGTH), number)
      append(byEnd, word.slice(-KEY_LENGTH), number)
    },
    at: (number) => words[number] ?? '',
    beginning(piece) {
      if (piece.length < KEY_LENGTH) return having(` ${piece}`)
      const near = byBeginning.get(piece.slice(0, KEY_LENGTH)) ?? []
      return near.filter((number) => words[number]?.startsWith(piece))
    },
    ending(piece) {
      if (piece.length < KEY_LENGTH) return having(`${piece} `)
      const near = byEnd.get(piece.slice(-KEY_LENGTH)) ?? []
      return near.filter((number) => words[number]?.endsWith(piece))
    },
    having,
  }
}

function append(numbers: Map<string, number[]>, key: string, number: number): void {
  const known = numbers.get(key)
  if (known) known.push(number)
  else numbers.set(key, [number])
}
