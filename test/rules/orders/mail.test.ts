import { expect, test } from 'vitest'
import { orderMail } from '../../../src/rules/orders/mail.ts'

const order = {
  ...{ id: 42, number: '000042', customer_name: 'Анна', customer_phone: '+7 900', customer_email: null },
  ...{ delivery_method: null, delivery_address: null, comment: null },
}
const lines = [{ product_name: 'Чайник', quantity: 2, price_at_order: '10.50', line_total: '21.00' }]
const about = { total: '21.00', currency: 'RUB', siteUrl: 'https://shop.example' }

test('includes customer, lines, amounts and link', () => {
  expect(orderMail(order, lines, about)).toEqual({
    subject: 'Новый заказ № 000042',
    body: [
      ...['Новый заказ № 000042', '', 'Покупатель: Анна', 'Телефон: +7 900', ''],
      ...['1. Чайник — 2 × 10.50 = 21.00', '', 'Итого: 21.00 RUB', ''],
      ...['https://shop.example/admin/orders/42', ''],
    ].join('\n'),
  })
})

test('includes the optional fields', () => {
  const full = { ...order, customer_email: 'a@b.test', delivery_method: 'Курьер', delivery_address: 'Москва' }
  const { body } = orderMail({ ...full, comment: 'Домофон 5' }, lines, about)
  expect(body).toContain('Email: a@b.test\nДоставка: Курьер\nАдрес: Москва\nКомментарий: Домофон 5\n')
})
