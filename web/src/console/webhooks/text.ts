import { language } from '../../ui/language.ts'

const en = {
  none: 'No webhooks. One tells another system at once what happens here.',
  newWebhook: 'New webhook',
  url: 'Address',
  events: 'Events',
  failing: (since: string) => `Failing since ${since}`,
  deliveries: 'Deliveries',
  noDeliveries: 'No deliveries in the last 14 days.',
  attempts: 'Attempts',
  answer: 'Answer',
  test: 'Send a test',
  tested: (status: string) => `Delivered, answer ${status}`,
  rotate: 'New secret',
  rotateQuestion: 'For a day requests carry both signatures; then only the new secret counts.',
  secret: 'The secret',
  secretOnce: 'Copy it now: it is not shown again.',
  statuses: { PENDING: 'Waiting', DELIVERED: 'Delivered', FAILED: 'Failed' },
}

const ru: typeof en = {
  none: 'Вебхуков нет. Вебхук сразу сообщает другой системе, что здесь происходит.',
  newWebhook: 'Новый вебхук',
  url: 'Адрес',
  events: 'События',
  failing: (since) => `Не проходит с ${since}`,
  deliveries: 'Доставки',
  noDeliveries: 'За последние 14 дней доставок нет.',
  attempts: 'Попытки',
  answer: 'Ответ',
  test: 'Проверить',
  tested: (status) => `Доставлено, ответ ${status}`,
  rotate: 'Новый секрет',
  rotateQuestion: 'Сутки запросы несут обе подписи, затем действует только новый секрет.',
  secret: 'Секрет',
  secretOnce: 'Скопируйте сейчас: больше он показан не будет.',
  statuses: { PENDING: 'Ждёт', DELIVERED: 'Доставлено', FAILED: 'Сбой' },
}

export const t = language === 'ru' ? ru : en
