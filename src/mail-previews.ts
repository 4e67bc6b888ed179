import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { passwordChangedMail, passwordResetMail } from './rules/mail/accounts.ts'
import { alertMail } from './rules/mail/alerts.ts'
import { MAIL_LANGUAGES, type MailContext, type MailLanguage } from './rules/mail/language.ts'
import { MAILED_STATUSES, newOrderMail, orderConfirmationMail, orderStatusMail } from './rules/mail/orders.ts'
import type { RenderedMail } from './rules/mail/render.ts'
import { contactMail, testMail } from './rules/mail/staff.ts'
import { ALERT_NAMES } from './rules/operations/alerts.ts'

const TOKEN = 'q1Zk6mE1v0bJ8xF3rT9yLw2uHs5cNd7aPgKiOeXzB4M'
const SITE_URL = 'https://shop.example'
const ORDER = {
  ...{ id: 12, number: '000012', customer_name: 'Анна Петрова', customer_phone: '+7 900 123-45-67' },
  ...{ customer_email: 'anna@example.com', delivery_method: 'Курьер', delivery_cost: '300.00' },
  ...{ delivery_address: 'Москва, ул. Лесная, 5', comment: 'Позвоните за час.\nДомофон не работает.' },
}
const LINES = [
  { product_name: 'Перфоратор ПЕ-1400', quantity: 2, price_at_order: '4554.99', line_total: '9109.98' },
  { product_name: 'Бур 8 × 160 мм', quantity: 10, price_at_order: '120.00', line_total: '1200.00' },
]
const CONTACT = {
  ...{ id: 7, name: 'Иван', phone: '+7 900 000-00-00', email: null },
  message: 'Когда привезёте?',
}

/** Every mail of the shop with made-up data, by name. */
export function previews(language: MailLanguage): Record<string, RenderedMail> {
  const context: MailContext = {
    ...{ language, siteName: 'Магазин', siteUrl: SITE_URL, currency: 'RUB', timeZone: 'Europe/Moscow' },
  }
  const at = new Date('2026-11-21T10:05:00Z')
  const url = `${SITE_URL}/order/${TOKEN}`
  const alert = { details: 'Supplier answered 503', began_at: at }
  return {
    'password-reset': passwordResetMail(context, {
      url: `${SITE_URL}/reset-password?token=${TOKEN}`,
      minutes: 60,
    }),
    'password-changed': passwordChangedMail(context, { at }),
    'order-confirmation': orderConfirmationMail(context, ORDER, LINES, { url }),
    ...Object.fromEntries(
      MAILED_STATUSES.map((status) => [
        `order-${status.toLowerCase()}`,
        orderStatusMail(context, ORDER, status, { url }),
      ]),
    ),
    'staff-new-order': newOrderMail(context, ORDER, LINES),
    'staff-contact': contactMail(context, CONTACT),
    'staff-test': testMail(context),
    ...Object.fromEntries(
      ALERT_NAMES.flatMap((name) => [
        [`alert-${name}`, alertMail(context, { ...alert, name, ended_at: null })],
        [
          `alert-${name}-over`,
          alertMail(context, { ...alert, name, ended_at: new Date('2026-11-21T11:30:00Z') }),
        ],
      ]),
    ),
  }
}

/** Writes both parts of every mail in every language into a folder. */
async function writePreviews(folder: string): Promise<number> {
  let count = 0
  for (const language of MAIL_LANGUAGES) {
    await mkdir(join(folder, language), { recursive: true })
    for (const [name, { subject, body, html }] of Object.entries(previews(language))) {
      await writeFile(join(folder, language, `${name}.txt`), `${subject}\n\n${body}`)
      await writeFile(join(folder, language, `${name}.html`), html)
      count += 1
    }
  }
  return count
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? '.data/mail-previews')
  process.stdout.write(`${await writePreviews(folder)} mails written to ${folder}\n`)
}
