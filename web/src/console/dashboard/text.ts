import { language } from '../../ui/language.ts'

const en = {
  revenue: 'Revenue',
  today: 'Today',
  days7: '7 days',
  days30: '30 days',
  orders: 'Orders by status',
  waiting: 'Waiting',
  newOrders: 'New orders',
  submitErrors: 'Failed submissions',
  newContacts: 'New requests',
  failedMails: 'Failed mails',
  catalogue: 'Catalogue',
  activeProducts: 'Active products',
  withoutPrice: 'Without a price',
  withoutImage: 'Without a picture',
  withoutCategory: 'Without a category',
  lastSync: 'Last sync',
  feedBuilt: 'Feed built',
}

const ru: typeof en = {
  revenue: 'Выручка',
  today: 'Сегодня',
  days7: '7 дней',
  days30: '30 дней',
  orders: 'Заказы по состояниям',
  waiting: 'Ждёт',
  newOrders: 'Новые заказы',
  submitErrors: 'Ошибки отправки',
  newContacts: 'Новые обращения',
  failedMails: 'Недошедшие письма',
  catalogue: 'Каталог',
  activeProducts: 'Активные товары',
  withoutPrice: 'Без цены',
  withoutImage: 'Без картинки',
  withoutCategory: 'Без категории',
  lastSync: 'Последняя синхронизация',
  feedBuilt: 'Фид построен',
}

export const t = language === 'ru' ? ru : en
