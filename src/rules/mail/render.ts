import { escapeUTF8 } from 'entities'
import type { Language } from '../../errors.ts'
import { oneLine } from '../text.ts'

/** What all mails of the shop have in common. */
export type MailContext = {
  language: Language
  /** One line. */
  siteName: string
  /** Without a slash at the end. */
  siteUrl: string
  /** ISO 4217. */
  currency: string
  timeZone: string
}

const LOCALES: Record<Language, string> = { ru: 'ru-RU', en: 'en-GB' }

/** By language and currency: to make one takes longer than to render a mail. */
const amountFormats = new Map<string, Intl.NumberFormat>()

/** Returns a function that formats decimal text as an amount. */
export function amountFormat({ language, currency }: MailContext): (decimal: string) => string {
  const key = `${language} ${currency}`
  const format = amountFormats.get(key) ?? new Intl.NumberFormat(LOCALES[language], { style: 'currency', currency })
  amountFormats.set(key, format)
  return (decimal) => format.format(Number(decimal))
}

/** Returns a function that chooses between the Russian and the English text. */
export function translator({ language }: MailContext): (ru: string, en: string) => string {
  return (ru, en) => (language === 'ru' ? ru : en)
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

/** A paragraph, in which strangers' text is harmless, or a link of ours. Markup is escaped by `renderMail`. */
export type Block = string | { link: string; label: string }

/** A paragraph of named values, one a line; null ones are left out. */
export function facts(...values: [name: string, value: string | null][]): string {
  return values.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`])).join('\n')
}

/** Renders both parts of a mail from the same blocks, so that they say the same. */
export function renderMail(
  { subject, blocks }: { subject: string; blocks: Block[] },
  { language, siteName, siteUrl }: MailContext,
): RenderedMail {
  return {
    subject: oneLine(subject),
    body: `${[...blocks.map(textOf), `-- \n${siteName}\n${siteUrl}`].join('\n\n')}\n`,
    html: `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${escapeUTF8(oneLine(subject))}</title>
</head>
<body style="font:16px/1.5 sans-serif;color:#222;max-width:40em;margin:1em auto;padding:0 1em">
${[...blocks, { link: siteUrl, label: siteName }].map(htmlOf).join('\n')}
</body>
</html>
`,
  }
}

function textOf(block: Block): string {
  return typeof block === 'string' ? block : `${block.label}:\n${block.link}`
}

function htmlOf(block: Block): string {
  if (typeof block === 'string') return `<p>${escapeUTF8(block).replaceAll('\n', '<br>\n')}</p>`
  return `<p><a href="${escapeUTF8(block.link)}">${escapeUTF8(block.label)}</a></p>`
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

/** Quotes a stranger's text, which keeps its lines. */
export function quoted(text: string): string {
  const lines = text.trim().split(/\r\n|[\r\n\u2028\u2029]/)
  return lines.map((line) => `> ${harmless(line)}`.trimEnd()).join('\n')
}

/** Shows an email address as it is: mail programs may offer to write to it, and nothing else. */
export function emailOrHarmless(email: string): string {
  return /^[a-z0-9_.+-]+@[a-z0-9.-]+$/i.test(email) ? email : harmless(email)
}
