import { ALERTS, type AlertName } from '../operations/alerts.ts'
import { formatTime, type MailContext, type MailLanguage } from './language.ts'
import { type RenderedMail, renderMail } from './render.ts'
import { harmless } from './strangers.ts'

/** Subject, what it means, and what its end says. */
type Words = { subject: string; meaning: string; over: string }

const RUSSIAN: Record<AlertName, Words> = {
  SyncStale: {
    subject: 'каталог давно не обновлялся',
    meaning:
      'Синхронизация с поставщиком давно не завершалась успешно. Магазин работает, но цены и остатки устарели.',
    over: 'Синхронизация снова завершилась успешно, или её расписание выключено.',
  },
  SyncWaiting: {
    subject: 'из списка поставщика пропало много товаров',
    meaning:
      'В полном списке поставщика нет более пятой части активных товаров. Магазин оставил их в продаже и ждёт решения: уточните у поставщика, и если товаров действительно больше нет, запустите POST /api/v1/admin/sync/run?acceptVanished=true.',
    over: 'Список поставщика снова полон, или исчезновение товаров подтверждено.',
  },
  FeedRefused: {
    subject: 'фид не прошёл проверку',
    meaning:
      'Новый фид не прошёл собственную проверку магазина и не опубликован. Сервисы сравнения цен получают последний исправный, который устаревает.',
    over: 'Фид снова проходит проверку.',
  },
  PipelineFailed: {
    subject: 'обработка XML-фида поставщика не удалась',
    meaning:
      'Последняя обработка XML-фида поставщика завершилась ошибкой. Категории, характеристики и очередь изображений из него не обновились.',
    over: 'Обработка XML-фида поставщика прошла успешно.',
  },
  MailsFailing: {
    subject: 'почта не отправляется',
    meaning:
      'Уже час почта не отправляется. Письма о заказах и обращениях не потеряны: они ждут в очереди, и попытки повторяются.',
    over: 'Почта снова отправляется, или неотправленные письма удалены.',
  },
  WebhooksFailing: {
    subject: 'вебхук не принимает события',
    meaning:
      'Уже час другая система не принимает события магазина. Они не потеряны: попытки повторяются, и следующие события ждут. Через пять дней вебхук будет выключен.',
    over: 'События снова доставляются, или ждать больше нечего.',
  },
  WebhookSwitchedOff: {
    subject: 'вебхук выключен',
    meaning:
      'Вебхук выключен: пять дней подряд доставка не удавалась, или получатель ответил 410. Новые события ему не отправляются.',
    over: 'Вебхук снова включён или удалён.',
  },
  StorageNotWritable: {
    subject: 'хранилище недоступно для записи',
    meaning:
      'Магазин не может записывать файлы. Загрузка изображений, их новые размеры, фид и карта сайта не работают.',
    over: 'Файлы снова записываются.',
  },
}

const ENGLISH: Record<AlertName, Words> = {
  SyncStale: {
    subject: 'the catalogue is out of date',
    meaning:
      'No synchronisation with the supplier has succeeded for long. The shop works, but its prices and stock are out of date.',
    over: 'A synchronisation has succeeded again, or its schedule is switched off.',
  },
  SyncWaiting: {
    subject: "many products are missing from the supplier's list",
    meaning:
      "The supplier's full list lacks more than a fifth of the active products. They stay on sale until somebody decides: ask the supplier, and if the products are really gone, send POST /api/v1/admin/sync/run?acceptVanished=true.",
    over: "The supplier's list is complete again, or somebody has confirmed that the products are gone.",
  },
  FeedRefused: {
    subject: 'the feed has failed its check',
    meaning:
      "The new feed failed the shop's own check and is not published. Price comparison services get the last good one, which ages.",
    over: 'The feed passes its check again.',
  },
  PipelineFailed: {
    subject: "processing of the supplier's XML feed has failed",
    meaning:
      "The last processing of the supplier's XML feed failed. Its categories, attributes and images were not updated.",
    over: "The supplier's XML feed was processed successfully.",
  },
  MailsFailing: {
    subject: 'mails are not delivered',
    meaning:
      'No mail has been delivered for an hour. Mails about orders and messages are not lost: they wait and are tried again.',
    over: 'Mails are delivered again, or the waiting ones were deleted.',
  },
  WebhooksFailing: {
    subject: 'a webhook does not accept events',
    meaning:
      'Another system has not accepted events of the shop for an hour. None is lost: they are tried again, and later ones wait. After five days the webhook is switched off.',
    over: 'Events are delivered again, or none waits any more.',
  },
  WebhookSwitchedOff: {
    subject: 'a webhook was switched off',
    meaning:
      'A webhook was switched off: it failed for five days, or its receiver answered 410. New events are not sent to it.',
    over: 'The webhook is switched on again, or deleted.',
  },
  StorageNotWritable: {
    subject: 'files can not be written',
    meaning: 'The shop can not write files. Uploads, image variants, feed and sitemap fail.',
    over: 'Files are written again.',
  },
}

const LABELS: Record<
  MailLanguage,
  Record<'begins' | 'isOver' | 'began' | 'ended' | 'details' | 'lookAt' | 'whatToDo', string>
> = {
  ru: {
    begins: 'внимание',
    isOver: 'прошло',
    began: 'Началось',
    ended: 'Закончилось',
    details: 'Подробности',
    lookAt: 'Где смотреть',
    whatToDo: 'Что делать',
  },
  en: {
    begins: 'attention',
    isOver: 'over',
    began: 'Began',
    ended: 'Ended',
    details: 'Details',
    lookAt: 'Where to look',
    whatToDo: 'What to do',
  },
}

/** `details` may quote what other servers answered. */
type MailedAlert = { name: AlertName; details: string; began_at: Date; ended_at: Date | null }

/** The mail to operators when an alert begins, and when it is over. */
export function alertMail(context: MailContext, alert: MailedAlert): RenderedMail {
  const { name, details, began_at, ended_at } = alert
  const { language, siteName } = context
  const { subject, meaning, over } = { ru: RUSSIAN, en: ENGLISH }[language][name]
  const labels = LABELS[language]
  const facts: [string, string][] = [
    [labels.began, formatTime(began_at, context)],
    ...(ended_at === null ? [] : [[labels.ended, formatTime(ended_at, context)] satisfies [string, string]]),
    [labels.details, harmless(details)],
  ]
  if (ended_at === null) {
    facts.push([labels.lookAt, `${ALERTS[name].lookAt}, /api/v1/admin/alerts`])
    facts.push([labels.whatToDo, `docs/alerts.md, ${name}`])
  }
  const state = ended_at === null ? labels.begins : labels.isOver
  return renderMail(
    {
      subject: `${siteName}: ${state} — ${subject} (${name})`,
      blocks: [`${siteName}: ${subject}.`, ended_at === null ? meaning : over, { facts }],
    },
    context,
  )
}
