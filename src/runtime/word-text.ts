/** Many words as one text, a space on both sides of each: a search through it is one the engine is quick at. */
export function createWordText() {
  const words: string[] = []
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

  return {
    at: (number: number): string => words[number] ?? '',
    add(word: string): void {
      words.push(word)
    },
    /** Numbers of the words with this piece; a space in it is the beginning or the end of a word. */
    having(piece: string): number[] {
      if (joined < words.length) join()
      const found: number[] = []
      for (let at = text.indexOf(piece); at !== -1 && words.length > 0; ) {
        const number = wordAt(at)
        found.push(number)
        at = text.indexOf(piece, starts[number + 1])
      }
      return found
    },
  }
}
