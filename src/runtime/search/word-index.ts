/** Texts are indexed by each sequence of this many letters, their beginnings and ends included. */
const GRAM_LENGTH = 3
/** Stand for what is before and after a text, so that a single letter at its edge is part of a sequence. */
const BEFORE = '^^'
const AFTER = '$$'

/** Finds entries by parts of their texts, which consist of letters and digits. */
export function createWordIndex<Entry>(textOf: (entry: Entry) => string) {
  const byGram = new Map<string, Entry[]>()

  function find(piece: string, isMatch: (text: string) => boolean): Entry[] {
    const groups = gramsOf(piece).map((gram) => byGram.get(gram) ?? [])
    const [rarest = []] = groups.sort((a, b) => a.length - b.length)
    return rarest.filter((entry) => isMatch(textOf(entry)))
  }

  /** @param piece not empty */
  const beginning = (piece: string) => find(BEFORE + piece, (text) => text.startsWith(piece))

  return {
    add(entry: Entry): void {
      for (const gram of new Set(gramsOf(BEFORE + textOf(entry) + AFTER))) {
        const known = byGram.get(gram)
        if (known) known.push(entry)
        else byGram.set(gram, [entry])
      }
    },
    beginning,
    /** @param piece not empty */
    ending: (piece: string) => find(piece + AFTER, (text) => text.endsWith(piece)),
    /** Below three letters, which too many texts contain, only those that begin with it. @param piece not empty */
    having: (piece: string) =>
      [...piece].length < GRAM_LENGTH ? beginning(piece) : find(piece, (text) => text.includes(piece)),
  }
}

function gramsOf(text: string): string[] {
  const grams: string[] = []
  for (let at = 0; at + GRAM_LENGTH <= text.length; at++) grams.push(text.slice(at, at + GRAM_LENGTH))
  return grams
}
