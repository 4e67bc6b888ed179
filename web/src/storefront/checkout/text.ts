import { withCommon } from '../text.ts'

export const t = withCommon({
  title: ['Checkout', 'Оформление заказа'],
  signIn: ['Sign in', 'Войдите'],
  signInExplained: [
    'to see this order in your account, or order without one.',
    'и увидите этот заказ в кабинете, или закажите без входа.',
  ],
  emailHint: ['We send the confirmation and a link to the order there', 'Пришлём подтверждение и ссылку на заказ'],
  method: ['Delivery', 'Доставка'],
  free: ['free', 'бесплатно'],
  freeFrom: ['free from', 'бесплатно от'],
  methodHint: ['For example: courier, pick-up', 'Например: курьер, самовывоз'],
  address: ['Address', 'Адрес'],
  comment: ['Comment', 'Комментарий'],
  order: ['Place the order', 'Заказать'],
  sending: ['Placing the order…', 'Оформляем заказ…'],
  again: ['Ask again', 'Спросить ещё раз'],
  unanswered: [
    'The shop has not answered. The order may have been placed; asking again does not order twice.',
    'Магазин не ответил. Возможно, заказ уже оформлен; повторный вопрос не создаст второго заказа.',
  ],
  yourOrder: ['Your order', 'Ваш заказ'],
  change: ['Change the cart', 'Изменить корзину'],
})
