import { escapeText } from 'entities'
import sanitizeHtml from 'sanitize-html'
import { textOfHtml } from '../published/feeds.ts'

/**
 * With more tags a description is reduced to its text. The parser's time grows with the product of unclosed and unmatched
 * tags: some tens of milliseconds for this many, seconds for ten times as many.
 */
const MAX_TAGS = 5000
const MAX_DEPTH = 50

const OWN_IMAGE = /^\/api\/v1\/images\/[1-9]\d{0,9}(\?v=[0-9a-f]{12}(&width=\d{1,5})?|\?width=\d{1,5})?$/
const LINK = /^https?:\/\//i
const block = sanitizeHtml.simpleTransform('div', {})

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'div', 'blockquote', 'pre', 'br', 'hr'],
    ...['ul', 'ol', 'li', 'dl', 'dt', 'dd'],
    ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
    ...['b', 'strong', 'i', 'em', 'u', 's', 'del', 'ins', 'mark', 'small', 'sub', 'sup', 'code'],
    ...['a', 'img'],
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    ol: ['start'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
  },
  allowedSchemes: ['http', 'https'],
  // Their text is not part of the description; that of other tags is kept.
  nonTextTags: [
    ...['script', 'style', 'title', 'textarea', 'option', 'xmp', 'iframe', 'object'],
    ...['svg', 'math', 'noscript', 'noembed', 'noframes', 'template'],
  ],
  transformTags: {
    a: sanitizeHtml.simpleTransform('a', { rel: 'nofollow noopener' }),
    article: block,
    section: block,
    center: block,
  },
  exclusiveFilter({ tag, attribs }) {
    if (tag === 'img') return !OWN_IMAGE.test(attribs.src ?? '')
    return tag === 'a' && !LINK.test(attribs.href ?? '') ? 'excludeTag' : false
  },
  nestingLimit: MAX_DEPTH,
}

/**
 * Reduces HTML of strangers to an allow-list (docs/catalogue.md); what is plain text keeps its line breaks.
 * Sanitising the well-formed output again changes nothing.
 */
export function sanitizeDescriptions(descriptions: string[]): string[] {
  return descriptions.map((html) => {
    const tags = html.split('<', MAX_TAGS + 2).length - 1
    const safe = (tags > MAX_TAGS ? escapeText(textOfHtml(html)) : sanitizeHtml(html, OPTIONS)).trim()
    return safe.includes('<') ? safe : withLineBreaks(safe)
  })
}

/** Writes the line breaks of a text as HTML; blank lines separate paragraphs. */
function withLineBreaks(text: string): string {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.trim())
  if (lines.length === 1) return text
  const paragraphs = lines.join('\n').split(/\n{2,}/)
  return paragraphs.map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br />')}</p>`).join('')
}
