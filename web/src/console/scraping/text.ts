import { language } from '../../ui/language.ts'

const en = {
  enqueue: 'Queue products without pictures',
  enqueued: (count: number) => `Queued: ${count}`,
  retryFailed: 'Repeat all failed',
  statuses: { PENDING: 'Waiting', IN_PROGRESS: 'In work', DONE: 'Done', FAILED: 'Failed' },
  product: 'Product',
  attempts: 'Attempts',
  searchHint: 'Name of the product',
  none: 'No tasks. Queue the products without pictures.',
  tasks: 'Queue',
  log: 'Downloads',
  noLog: 'No downloads.',
  downloads: { SUCCESS: 'Downloaded', FAILED: 'Failed' },
  last: 'Last attempt',
  repeat: 'Repeat',
  page: 'Page',
}

const ru: typeof en = {
  enqueue: 'Поставить товары без картинок',
  enqueued: (count) => `В очереди: ${count}`,
  retryFailed: 'Повторить все неудачные',
  statuses: { PENDING: 'Ждёт', IN_PROGRESS: 'В работе', DONE: 'Готово', FAILED: 'Сбой' },
  product: 'Товар',
  attempts: 'Попытки',
  searchHint: 'Название товара',
  none: 'Заданий нет. Поставьте в очередь товары без картинок.',
  tasks: 'Очередь',
  log: 'Загрузки',
  noLog: 'Загрузок нет.',
  downloads: { SUCCESS: 'Загружено', FAILED: 'Сбой' },
  last: 'Последняя попытка',
  repeat: 'Повторить',
  page: 'Страница',
}

export const t = language === 'ru' ? ru : en
