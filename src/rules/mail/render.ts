import { escapeUTF8 } from 'entities'
import { oneLine } from '../text.ts'

/** Values of the setting `mail_language`. */
export const MAIL_LANGUAGES = ['ru', 'en'] as const
export type MailLanguage = (typeof MAIL_LANGUAGES)[number]

/** What all mails of the shop have in common. */
export type MailContext = {
  language: MailLanguage
  /** One line. */
  siteName: string
  /** Without a slash at the end. */
  siteUrl: string
  /** ISO 4217. */
  currency: string
  timeZone: string
}

const LOCALES: Record<MailLanguage, string> = { ru: 'ru-RU', en: 'en-GB' }

/** Returns a function that formats decimal text as an amount. */
export function amountFormat({ language, currency }: MailContext): (decimal: string) => string {
  // The code of the rouble before 1998, which price lists still use.
  const code = currency === 'RUR' ? 'RUB' : currency
  const format = new Intl.NumberFormat(LOCALES[language], { style: 'currency', currency: code })
  return (decimal) => format.format(Number(decimal))
}

/** Formats an instant with its time zone. */
export function formatTime(instant: Date, { language, timeZone }: Pick<MailContext, 'language' | 'timeZone'>): string {
  return new Intl.DateTimeFormat(LOCALES[language], {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(instant)
}

/** A mail as the outbox stores it. */
export type RenderedMail = { subject: string; body: string; html: string }

/**
 * Parts of a mail: a sentence, named values, the lines of an order, text of a stranger, or a link of ours. Templates pass
 * strangers' text through `harmless`; markup is escaped by `renderMail`.
 */
export type Block =
  | string
  | { facts: Fact[] }
  | { lines: { name: string; amount: string; total: string }[]; sum: Fact }
  | { quote: string[] }
  | { link: string; label: string }

export type Fact = [name: string, value: string]

export function optionalFact(name: string, value: string | null, shown: (value: string) => string): Fact[] {
  return value === null ? [] : [[name, shown(value)]]
}

/** Renders both parts of a mail from the same blocks, so that they say the same. */
export function renderMail(
  { subject, blocks }: { subject: string; blocks: Block[] },
  context: MailContext,
): RenderedMail {
  const { siteName, siteUrl } = context
  return {
    subject: oneLine(subject),
    body: `${[...blocks.map(textOf), `-- \n${siteName}\n${siteUrl}`].join('\n\n')}\n`,
    html: html`<!doctype html>
<html lang="${context.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${oneLine(subject)}</title>
</head>
<body style="font:16px/1.5 sans-serif;color:#222;max-width:40em;margin:1em auto;padding:0 1em">
${blocks.map(htmlOf)}
<p><a href="${siteUrl}">${siteName}</a></p>
</body>
</html>
`.markup,
  }
}

function textOf(block: Block): string {
  if (typeof block === 'string') return block
  if ('facts' in block) return block.facts.map(fact).join('\n')
  if ('quote' in block) return block.quote.map((line) => `> ${line}`.trimEnd()).join('\n')
  if ('link' in block) return `${block.label}:\n${block.link}`
  const lines = block.lines.map(({ name, amount, total }, index) => `${index + 1}. ${name} — ${amount} = ${total}`)
  return [...lines, '', fact(block.sum)].join('\n')
}

const fact = ([name, value]: Fact) => `${name}: ${value}`

function htmlOf(block: Block): Markup {
  if (typeof block === 'string') return html`<p>${block}</p>\n`
  if ('facts' in block) {
    return html`<p>${block.facts.map(([name, value]) => html`${name}: <b>${value}</b><br>\n`)}</p>\n`
  }
  if ('quote' in block) {
    const lines = block.quote.map((line) => html`${line}<br>\n`)
    return html`<blockquote style="border-left:3px solid #ccc;margin:0;padding-left:1em">${lines}</blockquote>\n`
  }
  if ('link' in block) return html`<p><a href="${block.link}">${block.label}</a></p>\n`
  // Two columns, so that the amounts fit on a phone.
  const [sumName, sum] = block.sum
  const right = new Markup('style="text-align:right;padding-left:1em"')
  return html`<table style="border-spacing:0 .5em">
${block.lines.map(
  ({ name, amount, total }) =>
    html`<tr><td style="word-break:break-word">${name}<br><span style="color:#777">${amount}</span></td><td ${right}>${total}</td></tr>\n`,
)}<tr><td>${sumName}</td><td ${right}><b>${sum}</b></td></tr>
</table>\n`
}

class Markup {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

type Part = string | Markup | Markup[]

/** Template tag that escapes everything but markup of its own making. */
function html(literals: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(literals.reduce((whole, literal, index) => whole + markupOf(parts[index - 1]) + literal))
}

function markupOf(part: Part | undefined): string {
  if (Array.isArray(part)) return part.map(markupOf).join('')
  return part instanceof Markup ? part.markup : escapeUTF8(part ?? '')
}

/** Characters that can't be seen, or that change the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Makes a stranger's text safe to show in a mail: one line, nothing invisible, and nothing that a mail program would turn
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
