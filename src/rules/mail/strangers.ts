import { oneLine } from '../text.ts'

/** What is seen as nothing, or turns the direction of writing: control, format and private-use characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Makes text of a stranger harmless in a mail: one line, nothing invisible, and nothing that a mail program would turn
 * into a link. Spaces break up `https://`, `//host`, `evil.example` and `mailto:x`; figures such as `1.5` stay.
 */
export function harmless(text: string): string {
  return oneLine(oneLine(text).replace(INVISIBLE, ''))
    .replace(/([/\\])(?=[/\\])/g, '$1 ')
    .replace(/(?<=[\p{L}\p{N}])[:：](?=[^\s\d])/gu, '$& ')
    .replace(/(?<=\S)[.．。｡](?=[\p{L}\p{M}\p{S}])/gu, '$& ')
}

/** Does the same line by line, keeping the lines. */
export function harmlessLines(text: string): string[] {
  return text
    .trim()
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map(harmless)
}

/** Shows an email address as it is: mail programs may offer to write to it, and nothing else. */
export function emailOrHarmless(email: string): string {
  return /^[a-z0-9_.+-]+@[a-z0-9.-]+$/i.test(email) ? email : harmless(email)
}
