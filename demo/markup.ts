import { escapeUTF8 } from 'entities'

// XML 1.0 forbids these even when escaped: most control characters, lone surrogates, U+FFFE and U+FFFF.
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
const HARMLESS_TAG = /&lt;(\/?(?:p|br|ul|ol|li|h3|b|div)) ?\/?&gt;/gi

/** Escapes a text for element content or a quoted attribute, in HTML and XML. */
export function escapeMarkup(text: string): string {
  return escapeUTF8(text.replace(NOT_XML, ''))
}

/** Wraps any text in a CDATA section. */
export function cdata(text: string): string {
  return `<![CDATA[${text.replace(NOT_XML, '').replaceAll(']]>', ']]]]><![CDATA[>')}]]>`
}

/** Keeps the simple tags of HTML and escapes everything else. */
export function simpleHtml(html: string): string {
  return escapeMarkup(html).replace(HARMLESS_TAG, '<$1>')
}
