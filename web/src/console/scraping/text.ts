import { texts } from '../../ui/texts.ts'
import { withCommon } from '../text.ts'

export const t = withCommon({
  enqueue: ['Queue products without pictures', 'Поставить товары без картинок'],
  enqueued: [(count: number) => `Queued: ${count}`, (count: number) => `В очереди: ${count}`],
  retryFailed: ['Repeat all failed', 'Повторить все неудачные'],
  statuses: texts({
    PENDING: ['Waiting', 'Ждёт'],
    IN_PROGRESS: ['In work', 'В работе'],
    DONE: ['Done', 'Готово'],
    FAILED: ['Failed', 'Сбой'],
  }),
  searchHint: ['Name of the product', 'Название товара'],
  none: ['No tasks. Queue the products without pictures.', 'Заданий нет. Поставьте в очередь товары без картинок.'],
  tasks: ['Queue', 'Очередь'],
  log: ['Downloads', 'Загрузки'],
  noLog: ['No downloads.', 'Загрузок нет.'],
  downloads: texts({
    SUCCESS: ['Downloaded', 'Загружено'],
    FAILED: ['Failed', 'Сбой'],
  }),
  last: ['Last attempt', 'Последняя попытка'],
})
