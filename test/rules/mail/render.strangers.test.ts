import fc from 'fast-check'
import { LinkifyIt } from 'linkify-it'
import { parse } from 'node-html-parser'
import { expect, test } from 'vitest'
import { LANGUAGES } from '../../../src/errors.ts'
import { newOrderMail, orderConfirmationMail } from '../../../src/rules/mail/orders.ts'
import {
  emailOrHarmless,
  harmless,
  type MailContext,
  quoted,
  type RenderedMail,
} from '../../../src/rules/mail/render.ts'
import { alertMail, contactMail } from '../../../src/rules/mail/staff.ts'
import { anyCharacter } from '../../support/characters.ts'

test.each([
  ['https://evil.example/win', 'https: / /evil. example/win'],
  ['www.evil.example', 'www. evil. example'],
  ['mailto:a@b.example', 'mailto: a@b. example'],
  ['//evil.example', '/ /evil. example'],
  ['\\\\server\\share', '\\ \\server\\share'],
  ['выиграйте.рф и evil。com', 'выиграйте. рф и evil。 com'],
  ['ev\u200bil.\u00adexample', 'evil. example'],
  ['A\r\nBcc: x\u2028\u0085B\u202egnp', 'A Bcc: x Bgnp'],
  ['\ud800x', 'x'],
  ['Анна Петрова-Ёлкина, ул. Лесная, д. 5/2, 10:30', 'Анна Петрова-Ёлкина, ул. Лесная, д. 5/2, 10:30'],
  ['Кабель 1.5 мм² (3×2.5), TK-510 😀', 'Кабель 1.5 мм² (3×2.5), TK-510 😀'],
])('%j becomes %j', (text, shown) => {
  expect(harmless(text)).toBe(shown)
})

test('keeps the lines of a message, and addresses that are nothing else', () => {
  expect(quoted('\n Первая\r\n\r\nвторая\u2028третья: a.b\n')).toBe('> Первая\n>\n> вторая\n> третья: a. b')
  expect(emailOrHarmless('anna.p+x@shop.example')).toBe('anna.p+x@shop.example')
  expect(emailOrHarmless('evil.example/?x=@a.b')).toBe('evil. example/?x=@a. b')
})

// What mail programs do; tlds(), as they know more than the default ones.
const linkify = new LinkifyIt().tlds(['example', 'onion'], true)
const SITE = 'https://shop.example'
const LINK = `${SITE}/order/abc`
const HOSTILE = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 8 }),
      fc.constantFrom(
        ...[
          'https://evil.example',
          'evil.com',
          'www.',
          '.',
          ':',
          '//',
          '@',
          'a',
          'ru',
          'http',
          'mailto',
          'ftp:',
          '\\\\',
        ],
        ...[
          '\r\n',
          '\n',
          '\u2028',
          '\u202e',
          '\u200b',
          '\u00ad',
          '\u2066',
          '\0',
          '\ue000',
          '\ud800',
          '\ufe0f',
          '\u034f',
        ],
        ...[
          '<a href="https://evil.example">x</a>',
          '<script>',
          '</title>',
          '-->',
          '"',
          "'",
          '&',
          '&lt;',
          '${',
          '{{x}}',
        ],
        ...['Bcc: x@evil.example', 'Subject: x', '=?utf-8?B?eA==?=', '> ', '-- '],
      ),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''))

/** Every mail that shows text of strangers, filled with it. */
function mailsWith(text: string, context: MailContext): RenderedMail[] {
  const order = {
    id: 1,
    number: '000001',
    customer_name: text,
    customer_phone: text,
    customer_email: text,
    delivery_method: text,
    delivery_address: text,
    comment: text,
    total: '1.00',
    delivery_cost: '1.00',
  }
  const lines = [{ product_name: text, quantity: 1, price_at_order: '1.00', line_total: '1.00' }]
  return [
    newOrderMail(context, order, lines),
    orderConfirmationMail(context, order, lines, { url: LINK }),
    contactMail(context, { id: 1, name: text, phone: text, email: text, message: text }),
    alertMail(context, { name: 'FeedRefused', details: text, began_at: new Date(0), ended_at: new Date(1) }),
  ]
}

test.each(LANGUAGES)('text of strangers becomes neither header, link nor markup (%s)', (language) => {
  const context: MailContext = {
    language,
    siteName: 'Магазин',
    siteUrl: SITE,
    currency: 'RUB',
    timeZone: 'UTC',
  }
  const plain = mailsWith('x', context).map(({ html }) => skeleton(html))
  fc.assert(
    fc.property(HOSTILE, (text) => {
      for (const [index, { subject, body, html }] of mailsWith(text, context).entries()) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
        expect(subject).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
        const whole = `${subject}\n${body}`
        expect(whole).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\ue000\0]/)
        const links = linkify.match(whole) ?? []
        expect(links.map(({ url }) => url).filter((url) => !isOurs(url, text))).toEqual([])
        const shown = linkify.match(parse(html).text) ?? []
        expect(shown.map(({ url }) => url).filter((url) => !isOurs(url, text))).toEqual([])
        expect(skeleton(html)).toEqual(plain[index])
      }
    }),
    { numRuns: 50 },
  )
})

/** Our own links, that of the footer included; and an address that is nothing but one, which mail programs offer to write to. */
const isOurs = (url: string, text: string) => [SITE, LINK, `${SITE}/admin/orders/1`, `mailto:${text}`].includes(url)

/** Elements and their attributes in order, without line breaks, of which a message has some. */
function skeleton(html: string): string[] {
  return parse(html, { comment: true })
    .querySelectorAll('*')
    .map(({ rawTagName, rawAttrs }) => `${rawTagName} ${rawAttrs}`)
    .filter((element) => element !== 'br ')
}
