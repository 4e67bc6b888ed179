import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { LANGUAGES, type Language } from '../../src/errors.ts'
import { newNetworkMail, passwordChangedMail, passwordResetMail, totpResetMail } from '../../src/rules/mail/accounts.ts'
import { MAILED_STATUSES, newOrderMail, orderConfirmationMail, orderStatusMail } from '../../src/rules/mail/orders.ts'
import type { MailContext, RenderedMail } from '../../src/rules/mail/render.ts'
import { alertMail, contactMail, testMail } from '../../src/rules/mail/staff.ts'
import { ALERT_NAMES } from '../../src/rules/operations/alerts.ts'

const TOKEN = 'q1Zk6mE1v0bJ8xF3rT9yLw2uHs5cNd7aPgKiOeXzB4M'
const SITE_URL = 'https://shop.example'
const ORDER = {
  id: 12,
  number: '000012',
  customer_name: 'Анна Петрова',
  customer_phone: '+7 900 123-45-67',
  customer_email: 'anna@example.com',
  delivery_method: 'Курьер',
  delivery_cost: '0.00',
  total: '10309.98',
  delivery_address: 'Москва, ул. Лесная, 5',
  comment: 'Позвоните за час.\nДомофон не работает.',
}
const LINES = [
  { product_name: 'Перфоратор ПЕ-1400', quantity: 2, price_at_order: '4554.99', line_total: '9109.98' },
  { product_name: 'Бур 8 × 160 мм', quantity: 10, price_at_order: '120.00', line_total: '1200.00' },
]
/** After staff have set the delivery cost. */
const CONFIRMED = { ...ORDER, delivery_cost: '350.00', total: '10659.98' }
const CONTACT = { id: 7, name: 'Иван', phone: '+7 900 000-00-00', email: null, message: 'Когда привезёте?' }

/** Every mail of the shop with made-up data, named after the function that renders it. */
export function mailsIn(language: Language): Record<string, RenderedMail> {
  const context: MailContext = {
    language,
    siteName: 'Магазин',
    siteUrl: SITE_URL,
    currency: 'RUB',
    timeZone: 'Europe/Moscow',
  }
  const at = new Date('2026-11-21T10:05:00Z')
  const url = `${SITE_URL}/order/${TOKEN}`
  const mails: Record<string, RenderedMail> = {
    passwordReset: passwordResetMail(context, { url: `${SITE_URL}/reset-password?token=${TOKEN}`, minutes: 60 }),
    passwordChanged: passwordChangedMail(context, { at }),
    totpReset: totpResetMail(context, { at }),
    newNetwork: newNetworkMail(context, { at, network: '203.0.113.0/24', client: 'Firefox, Windows' }),
    orderConfirmation: orderConfirmationMail(context, ORDER, LINES, { url }),
    newOrder: newOrderMail(context, ORDER, LINES),
    contact: contactMail(context, CONTACT),
    test: testMail(context),
  }
  for (const status of MAILED_STATUSES)
    mails[`orderStatus-${status}`] = orderStatusMail(context, CONFIRMED, status, { url })
  for (const name of ALERT_NAMES) {
    const alert = { name, details: 'Supplier answered 503', began_at: at }
    mails[`alert-${name}`] = alertMail(context, { ...alert, ended_at: null })
    mails[`alert-${name}-over`] = alertMail(context, { ...alert, ended_at: new Date('2026-11-21T11:30:00Z') })
  }
  return mails
}

/** `npm run mails`: writes both parts of each mail in each language into a folder. */
if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? '.data/mail-previews')
  for (const language of LANGUAGES) {
    await mkdir(join(folder, language), { recursive: true })
    for (const [name, { subject, body, html }] of Object.entries(mailsIn(language))) {
      await writeFile(join(folder, language, `${name}.txt`), `${subject}\n\n${body}`)
      await writeFile(join(folder, language, `${name}.html`), html)
    }
  }
  process.stdout.write(`Every mail is in ${folder}, in ${LANGUAGES.join(' and ')}\n`)
}
