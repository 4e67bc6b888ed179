import { withCommon } from '../text.ts'

export const t = withCommon({
  hello: [(name: string) => `Hello, ${name}`, (name: string) => `Здравствуйте, ${name}`],
  waiting: ['What waits', 'Что ждёт'],
  newOrders: ['new orders', 'новых заказов'],
  submitErrors: ['failed submissions', 'ошибок отправки'],
  newContacts: ['new requests', 'новых обращений'],
  alerts: ['open alerts', 'открытых тревог'],
  ordersToday: ['orders today', 'заказов сегодня'],
  revenueToday: ['revenue today', 'выручка сегодня'],
  lastOrders: ['Last orders', 'Последние заказы'],
  byDay: ['Orders and revenue by day', 'Заказы и выручка по дням'],
  days: [(days: number) => `${days} days`, (days: number) => `${days} дней`],
  period: ['Period', 'Период'],
  revenue: ['Revenue', 'Выручка'],
  noOrders: [
    'No orders yet. They appear here as soon as they are placed.',
    'Заказов пока нет. Они появятся здесь сразу после оформления.',
  ],
  editorsHint: ['What do you want to edit?', 'Что будем править?'],
})
