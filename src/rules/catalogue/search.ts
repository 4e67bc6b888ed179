/** Below it a word has too few letter groups for a likeness to mean anything. */
const SHORTEST_MISSPELT = 4

/** How a text is compared: as the database keeps `search_name`, lower case and ё as е. */
export function normalise(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ё', 'е')
}

/** The different words of a search, in their order; none when it is blank (contract section 4, "search"). */
export function searchWords(text: string): string[] {
  const words = normalise(text).split(/\s+/)
  return [...new Set(words)].filter((word) => word !== '')
}

/** Whether a word that no product's name holds may stand for one that looks like it. */
export function mayBeMisspelt(word: string): boolean {
  return [...word].length >= SHORTEST_MISSPELT
}
