import { expect, test } from 'vitest'
import { contactMail } from '../../../src/rules/contacts/requests.ts'

const contact = { id: 12, name: 'Ёлкин', phone: '+7 900', email: null, message: 'Первая\nвторая' }

test('includes all fields in the mail to staff', () => {
  expect(contactMail(contact, 'Магазин')).toEqual({
    subject: 'Новое обращение №12: Ёлкин',
    body: [
      'Новое обращение №12 на сайте «Магазин».',
      '',
      'Имя: Ёлкин',
      'Телефон: +7 900',
      'Почта: не указана',
      '',
      'Сообщение:',
      'Первая\nвторая',
      '',
    ].join('\n'),
  })
})

test('keeps only the message’s line breaks and shortens the subject', () => {
  const name = 'A\r\nBcc: x@example.test\u2028\u0085B'
  const { subject, body } = contactMail({ ...contact, name, phone: '1\n2', email: 'a@b.test' }, 'X\nY')
  expect(subject).toBe('Новое обращение №12: A Bcc: x@example.test B')
  expect(body.split('\n').slice(0, 5)).toEqual([
    'Новое обращение №12 на сайте «X Y».',
    '',
    'Имя: A Bcc: x@example.test B',
    'Телефон: 1 2',
    'Почта: a@b.test',
  ])
  const long = contactMail({ ...contact, name: '😀'.repeat(200) }, 'X').subject
  expect([...long].length).toBeLessThan(110)
  expect(long.isWellFormed()).toBe(true)
})
