import { sanitizeDescription } from '../../rules/catalogue/descriptions.ts'

/** Runs in the thread of html-sanitizer.ts. */
export default function sanitize(descriptions: string[]): string[] {
  return descriptions.map(sanitizeDescription)
}
