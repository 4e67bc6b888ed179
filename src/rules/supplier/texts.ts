import { decodeHTMLStrict } from 'entities'

/** A plain text whose entities a supplier encoded once too often, as `&quot;` in a name. */
export function plainText(text: string): string {
  return text.includes('&') ? decodeHTMLStrict(text) : text
}
