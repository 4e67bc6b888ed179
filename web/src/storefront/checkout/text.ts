import { language } from '../../ui/language.ts'

const en = {
  title: 'Checkout',
  signIn: 'Sign in',
  signInExplained: 'to see this order in your account, or order without one.',
  name: 'Name',
  phone: 'Phone',
  email: 'Email',
  emailHint: 'We send the confirmation and a link to the order there',
  method: 'Delivery',
  methodHint: 'For example: courier, pick-up',
  address: 'Address',
  comment: 'Comment',
  order: 'Place the order',
  sending: 'Placing the order…',
  again: 'Ask again',
  unanswered: 'The shop has not answered. The order may have been placed; asking again does not order twice.',
  yourOrder: 'Your order',
  change: 'Change the cart',
}

const ru: typeof en = {
  title: 'Оформление заказа',
  signIn: 'Войдите',
  signInExplained: 'и увидите этот заказ в кабинете, или закажите без входа.',
  name: 'Имя',
  phone: 'Телефон',
  email: 'Электронная почта',
  emailHint: 'Пришлём подтверждение и ссылку на заказ',
  method: 'Доставка',
  methodHint: 'Например: курьер, самовывоз',
  address: 'Адрес',
  comment: 'Комментарий',
  order: 'Заказать',
  sending: 'Оформляем заказ…',
  again: 'Спросить ещё раз',
  unanswered: 'Магазин не ответил. Возможно, заказ уже оформлен; повторный вопрос не создаст второго заказа.',
  yourOrder: 'Ваш заказ',
  change: 'Изменить корзину',
}

export const t = language === 'ru' ? ru : en
