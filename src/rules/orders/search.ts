import { normalise } from '../catalogue/search.ts'

/**
 * What to look for in an order's `search_text`, any of them: the words as they are, and where they look like a phone,
 * its digits alone. None when the search is blank.
 */
export function searchTexts(text: string): string[] {
  const words = normalise(text.trim())
  if (words === '') return []
  const digits = words.replace(/\D/g, '')
  const isPhone = digits.length >= 3 && /^[+()\d\s.\-/]+$/.test(words)
  return isPhone && digits !== words ? [words, digits] : [words]
}
