import { language } from '../../ui/language.ts'

const en = {
  hello: (name: string) => `Hello, ${name}`,
  waiting: 'What waits',
  newOrders: 'new orders',
  submitErrors: 'failed submissions',
  newContacts: 'new requests',
  alerts: 'open alerts',
  ordersToday: 'orders today',
  revenueToday: 'revenue today',
  lastOrders: 'Last orders',
  byDay: 'Orders and revenue by day',
  days: (days: number) => `${days} days`,
  period: 'Period',
  orders: 'Orders',
  revenue: 'Revenue',
  noOrders: 'No orders yet. They appear here as soon as they are placed.',
  editorsHint: 'What do you want to edit?',
}

const ru: typeof en = {
  hello: (name) => `Здравствуйте, ${name}`,
  waiting: 'Что ждёт',
  newOrders: 'новых заказов',
  submitErrors: 'ошибок отправки',
  newContacts: 'новых обращений',
  alerts: 'открытых тревог',
  ordersToday: 'заказов сегодня',
  revenueToday: 'выручка сегодня',
  lastOrders: 'Последние заказы',
  byDay: 'Заказы и выручка по дням',
  days: (days) => `${days} дней`,
  period: 'Период',
  orders: 'Заказы',
  revenue: 'Выручка',
  noOrders: 'Заказов пока нет. Они появятся здесь сразу после оформления.',
  editorsHint: 'Что будем править?',
}

export const t = language === 'ru' ? ru : en
