import { escapeUTF8 } from 'entities'

// Everything XML 1.0 forbids, even when escaped: most control characters, lone surrogates, U+FFFE and U+FFFF.
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
const HARMLESS_TAG = /&lt;(\/?(?:p|br|ul|ol|li|h3|b|div)) ?\/?&gt;/gi

/** A text for element content or a quoted attribute, in HTML and XML alike. */
export function escapeMarkup(text: string): string {
  return escapeUTF8(text.replace(NOT_XML, ''))
}

/** A CDATA section, whatever the text holds. */
export function cdata(text: string): string {
  return `<![CDATA[${text.replace(NOT_XML, '').replaceAll(']]>', ']]]]><![CDATA[>')}]]>`
}

/** Supplier's HTML with its simple tags and everything else shown as text. */
export function simpleHtml(html: string): string {
  return escapeMarkup(html).replace(HARMLESS_TAG, '<$1>')
}

/** JSON for a script element: `</script>` cannot occur in it. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('/', '\\/')
}
