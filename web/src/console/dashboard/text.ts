import { withCommon } from '../text.ts'

export const t = withCommon({
  revenue: ['Revenue', 'Выручка'],
  today: ['Today', 'Сегодня'],
  days7: ['7 days', '7 дней'],
  days30: ['30 days', '30 дней'],
  orders: ['Orders by status', 'Заказы по состояниям'],
  waiting: ['Waiting', 'Ждёт'],
  newOrders: ['New orders', 'Новые заказы'],
  submitErrors: ['Failed submissions', 'Ошибки отправки'],
  newContacts: ['New requests', 'Новые обращения'],
  failedMails: ['Failed mails', 'Недошедшие письма'],
  catalogue: ['Catalogue', 'Каталог'],
  activeProducts: ['Active products', 'Активные товары'],
  withoutPrice: ['Without a price', 'Без цены'],
  withoutImage: ['Without a picture', 'Без картинки'],
  withoutCategory: ['Without a category', 'Без категории'],
  lastSync: ['Last sync', 'Последняя синхронизация'],
  feedBuilt: ['Feed built', 'Фид построен'],
})
