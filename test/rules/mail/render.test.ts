import { expect, test } from 'vitest'
import { mailsIn } from '../../support/mail-previews.ts'

const all = { ru: mailsIn('ru'), en: mailsIn('en') }

test('the confirmation of an order, as customers get it', () => {
  const { subject, body } = all.en.orderConfirmation ?? {}
  expect(subject).toBe('Магазин: Order 000012 received')
  expect(body?.replaceAll('\u00a0', ' ')).toBe(
    [
      ...['Thank you! Магазин has received your order 000012.', ''],
      ...['Customer: Анна Петрова', 'Delivery: Курьер', 'Address: Москва, ул. Лесная, 5', ''],
      '1. Перфоратор ПЕ-1400 — 2 × RUB 4,554.99 = RUB 9,109.98',
      '2. Бур 8 × 160 мм — 10 × RUB 120.00 = RUB 1,200.00',
      ...['', 'Total: RUB 10,309.98', ''],
      'Order status:',
      'https://shop.example/order/q1Zk6mE1v0bJ8xF3rT9yLw2uHs5cNd7aPgKiOeXzB4M',
      ...[
        '',
        'Until the shop takes it up, the order can be cancelled by this link.',
        '',
        '-- ',
        'Магазин',
        'https://shop.example',
        '',
      ],
    ].join('\n'),
  )
})

test('the mail to staff about an order, with the comment and amounts as Russians write them', () => {
  const { subject, body, html } = all.ru.newOrder ?? {}
  expect(subject).toBe('Новый заказ № 000012')
  const text = body?.replaceAll('\u00a0', ' ')
  expect(text).toContain('Телефон: +7 900 123-45-67\nEmail: anna@example.com\n')
  expect(text).toContain('Комментарий:\n\n> Позвоните за час.\n> Домофон не работает.\n')
  expect(text).toContain('1. Перфоратор ПЕ-1400 — 2 × 4 554,99 ₽ = 9 109,98 ₽\n')
  expect(text).toContain('https://shop.example/admin/orders/12\n')
  expect(html).toContain('<a href="https://shop.example/admin/orders/12">')
})

test('a confirmed order names what is to pay, as the delivery cost was unknown when it was placed', () => {
  const { body = '', html } = all.ru['orderStatus-SENT'] ?? {}
  expect(body.replaceAll('\u00a0', ' ')).toBe(
    [
      ...['Заказ № 000012 подтверждён и передан в исполнение.', ''],
      ...['Стоимость доставки: 350,00 ₽', 'Итого: 10 659,98 ₽', ''],
      ...['Состояние заказа:', 'https://shop.example/order/q1Zk6mE1v0bJ8xF3rT9yLw2uHs5cNd7aPgKiOeXzB4M', ''],
      ...['-- ', 'Магазин', 'https://shop.example', ''],
    ].join('\n'),
  )
  expect(html).toContain('<a href="https://shop.example">Магазин</a>')
  expect(all.en['orderStatus-SENT']?.body).toMatch(/^Delivery cost: RUB.350\.00\nTotal: RUB.10,659\.98$/m)
  expect(all.en['orderStatus-CANCELLED']?.body).not.toContain('Total')
})

test('times are those of the shop, with their zone', () => {
  expect(all.ru.passwordChanged?.body).toContain('21 ноября 2026 г. в 13:05 GMT+3')
  expect(all.en.passwordChanged?.body).toContain('21 November 2026 at 13:05 GMT+3')
})

test('every mail is there in both languages, as text and as HTML', () => {
  expect(Object.keys(all.en)).toEqual(Object.keys(all.ru))
  for (const [name, { subject, body, html }] of Object.entries(all.en)) {
    const own = `${subject}\n${body}`.replaceAll(
      /Магазин|Customer: .*|Address: .*|Delivery: .*|Name: .*|: Иван$|^> .*|^\d\. .*/gm,
      '',
    )
    expect(own, name).not.toMatch(/[а-яё]/i)
    expect(html).toContain('<html lang="en">')
    expect(all.ru[name]?.html).toContain('<html lang="ru">')
    expect(all.ru[name]?.subject).toMatch(/[а-яё]/i)
  }
})

test('the HTML has the paragraphs and lines of the text', () => {
  const { html = '', body = '' } = all.ru.newOrder ?? {}
  const [, content = ''] = /<body[^>]*>\n(.*)<\/body>/s.exec(html) ?? []
  const text = content
    .replaceAll(/<p><a href="([^"]*)">([^<]*)<\/a><\/p>/g, '$2:\n$1\n')
    .replaceAll(/<p>|<br>/g, '')
    .replaceAll('</p>', '\n')
    .replaceAll('&gt;', '>')
  expect(text.split('\nМагазин:')[0]).toBe(body.split('\n-- ')[0])
  expect(text).not.toContain('<')
})
