const MOST_IDS = 1000
const MAX_INT = 2_147_483_647

/** Reads `1,2,3`: one to a thousand ids, each kept once; null when the text is anything else. */
export function readIdList(text: string): number[] | null {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length > MOST_IDS || !parts.every((part) => /^\d{1,10}$/.test(part))) return null
  const ids = parts.map(Number)
  return ids.every((id) => id >= 1 && id <= MAX_INT) ? [...new Set(ids)] : null
}
