import { oneLine } from '../text.ts'

/** Sections of docs/alerts.md have these names, rules of deploy/prometheus/alerts.yml have them after `Shop`. */
export const ALERT_NAMES = [
  'SyncStale',
  'SyncWaiting',
  'FeedRefused',
  'PipelineFailed',
  'MailsFailing',
  'StorageNotWritable',
] as const
export type AlertName = (typeof ALERT_NAMES)[number]

type Words = {
  /** What it means, for the API. */
  summary: string
  /** Path of the API where to look. */
  lookAt: string
  /** Subject, and what it means, for the mail; in Russian as all mails to staff. */
  subject: string
  meaning: string
  /** What its end says. */
  over: string
}

export const ALERTS: Record<AlertName, Words> = {
  SyncStale: {
    summary: "The shop's prices and stock are out of date: no sync has succeeded for too long",
    lookAt: '/api/v1/admin/sync/runs',
    subject: 'каталог давно не обновлялся',
    meaning:
      'Синхронизация с поставщиком давно не завершалась успешно. Магазин работает, но цены и остатки устарели.',
    over: 'Синхронизация снова завершилась успешно, или её расписание выключено.',
  },
  SyncWaiting: {
    summary: 'Many products are missing from the supplier; the sync waits for the word that they are gone',
    lookAt: '/api/v1/admin/sync/runs',
    subject: 'из списка поставщика пропало много товаров',
    meaning:
      'В полном списке поставщика нет более пятой части активных товаров. Магазин оставил их в продаже и ждёт решения: уточните у поставщика, и если товаров действительно больше нет, запустите POST /api/v1/admin/sync/run?acceptVanished=true.',
    over: 'Список поставщика снова полон, или исчезновение товаров подтверждено.',
  },
  FeedRefused: {
    summary: 'The feed fails its own check; price comparison services get the last good one',
    lookAt: '/api/v1/admin/jobs/feed-rebuild/runs',
    subject: 'фид не прошёл проверку',
    meaning:
      'Новый фид не прошёл собственную проверку магазина и не опубликован. Сервисы сравнения цен получают последний исправный, который устаревает.',
    over: 'Фид снова проходит проверку.',
  },
  PipelineFailed: {
    summary: "The last processing of the supplier's XML feed failed",
    lookAt: '/api/v1/admin/xml-pipeline/runs',
    subject: 'обработка XML-фида поставщика не удалась',
    meaning:
      'Последняя обработка XML-фида поставщика завершилась ошибкой. Категории, характеристики и очередь изображений из него не обновились.',
    over: 'Обработка XML-фида поставщика прошла успешно.',
  },
  MailsFailing: {
    summary: 'No mail has been delivered for an hour, although some are waiting',
    lookAt: '/api/v1/admin/mails?status=PENDING',
    subject: 'почта не отправляется',
    meaning:
      'Уже час почта не отправляется. Письма о заказах и обращениях не потеряны: они ждут в очереди, и попытки повторяются.',
    over: 'Почта снова отправляется, или неотправленные письма удалены.',
  },
  StorageNotWritable: {
    summary: 'Files can not be written: uploads, image variants and feeds fail',
    lookAt: '/health/ready',
    subject: 'хранилище недоступно для записи',
    meaning:
      'Магазин не может записывать файлы. Загрузка изображений, их новые размеры, фид и карта сайта не работают.',
    over: 'Файлы снова записываются.',
  },
}

/**
 * Minutes for which a condition must be absent before its alert is over. A condition that comes and goes so sends at most
 * two mails an hour.
 */
export const QUIET_MINUTES = { first: 5, repeated: 60, repeatedWithin: 24 * 60 }

type MailedAlert = { name: AlertName; details: string; began_at: Date; ended_at: Date | null }

/** The mail to operators when an alert begins, and when it is over. */
export function alertMail(
  { name, details, began_at, ended_at }: MailedAlert,
  siteName: string,
): { subject: string; body: string } {
  const { subject, meaning, over, lookAt } = ALERTS[name]
  const shop = oneLine(siteName)
  const isOver = ended_at !== null
  const body = [
    `Магазин «${shop}»: ${subject}.`,
    '',
    isOver ? over : meaning,
    '',
    `Началось: ${began_at.toISOString()}`,
    ...(isOver ? [`Закончилось: ${ended_at.toISOString()}`] : []),
    `Подробности: ${oneLine(details)}`,
    ...(isOver
      ? []
      : [`Где смотреть: ${lookAt}, /api/v1/admin/alerts`, `Что делать: docs/alerts.md, ${name}`]),
    '',
  ]
  return {
    subject: `${shop}: ${isOver ? 'прошло' : 'внимание'} — ${subject} (${name})`,
    body: body.join('\n'),
  }
}
