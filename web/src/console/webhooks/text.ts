import { texts } from '../../ui/texts.ts'
import { withCommon } from '../text.ts'

export const t = withCommon({
  none: [
    'No webhooks. One tells another system at once what happens here.',
    'Вебхуков нет. Вебхук сразу сообщает другой системе, что здесь происходит.',
  ],
  newWebhook: ['New webhook', 'Новый вебхук'],
  url: ['Address', 'Адрес'],
  events: ['Events', 'События'],
  failing: [(since: string) => `Failing since ${since}`, (since: string) => `Не проходит с ${since}`],
  deliveries: ['Deliveries', 'Доставки'],
  noDeliveries: ['No deliveries in the last 14 days.', 'За последние 14 дней доставок нет.'],
  answer: ['Answer', 'Ответ'],
  test: ['Send a test', 'Проверить'],
  tested: [(status: string) => `Delivered, answer ${status}`, (status: string) => `Доставлено, ответ ${status}`],
  rotate: ['New secret', 'Новый секрет'],
  rotateQuestion: [
    'For a day requests carry both signatures; then only the new secret counts.',
    'Сутки запросы несут обе подписи, затем действует только новый секрет.',
  ],
  secret: ['The secret', 'Секрет'],
  statuses: texts({
    PENDING: ['Waiting', 'Ждёт'],
    DELIVERED: ['Delivered', 'Доставлено'],
    FAILED: ['Failed', 'Сбой'],
  }),
})
