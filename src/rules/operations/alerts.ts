/** What has happened, in a few words, and what that means. */
type Words = { subject: string; meaning: string }

/** What operators are alerted of. Sections of docs/alerts.md have these names; `lookAt` is a path of the API. */
export const ALERTS = {
  SyncStale: {
    lookAt: '/api/v1/admin/sync/runs',
    en: {
      subject: 'the catalogue is out of date',
      meaning:
        'No synchronisation with the supplier has succeeded for long. The shop works, but its prices and stock are out of date.',
    },
    ru: {
      subject: 'каталог давно не обновлялся',
      meaning:
        'Синхронизация с поставщиком давно не завершалась успешно. Магазин работает, но цены и остатки устарели.',
    },
  },
  SyncWaiting: {
    lookAt: '/api/v1/admin/sync/runs',
    en: {
      subject: "many products are missing from the supplier's list",
      meaning:
        "The supplier's full list lacks more than a fifth of the active products. They stay on sale until somebody decides: ask the supplier, and if the products are really gone, send POST /api/v1/admin/sync/run?acceptVanished=true.",
    },
    ru: {
      subject: 'из списка поставщика пропало много товаров',
      meaning:
        'В полном списке поставщика нет более пятой части активных товаров. Магазин оставил их в продаже и ждёт решения: уточните у поставщика, и если товаров действительно больше нет, запустите POST /api/v1/admin/sync/run?acceptVanished=true.',
    },
  },
  FeedRefused: {
    lookAt: '/api/v1/admin/jobs/feed-rebuild/runs',
    en: {
      subject: 'the feed has failed its check',
      meaning:
        "The new feed failed the shop's own check and is not published. Price comparison services get the last good one, which ages.",
    },
    ru: {
      subject: 'фид не прошёл проверку',
      meaning:
        'Новый фид не прошёл собственную проверку магазина и не опубликован. Сервисы сравнения цен получают последний исправный, который устаревает.',
    },
  },
  PipelineFailed: {
    lookAt: '/api/v1/admin/xml-pipeline/runs',
    en: {
      subject: "processing of the supplier's XML feed has failed",
      meaning:
        "The last processing of the supplier's XML feed failed. Its categories, attributes and images were not updated.",
    },
    ru: {
      subject: 'обработка XML-фида поставщика не удалась',
      meaning:
        'Последняя обработка XML-фида поставщика завершилась ошибкой. Категории, характеристики и очередь изображений из него не обновились.',
    },
  },
  MailsFailing: {
    lookAt: '/api/v1/admin/mails?status=PENDING',
    en: {
      subject: 'mails are not delivered',
      meaning:
        'No mail has been delivered for an hour. Mails about orders and messages are not lost: they wait and are tried again.',
    },
    ru: {
      subject: 'почта не отправляется',
      meaning:
        'Уже час почта не отправляется. Письма о заказах и обращениях не потеряны: они ждут в очереди, и попытки повторяются.',
    },
  },
  WebhooksFailing: {
    lookAt: '/api/v1/admin/webhooks',
    en: {
      subject: 'a webhook does not accept events',
      meaning:
        'Another system has not accepted events of the shop for an hour. None is lost: they are tried again, and later ones wait. After five days the webhook is switched off.',
    },
    ru: {
      subject: 'вебхук не принимает события',
      meaning:
        'Уже час другая система не принимает события магазина. Они не потеряны: попытки повторяются, и следующие события ждут. Через пять дней вебхук будет выключен.',
    },
  },
  WebhookSwitchedOff: {
    lookAt: '/api/v1/admin/webhooks',
    en: {
      subject: 'a webhook was switched off',
      meaning:
        'A webhook was switched off: it failed for five days, or its receiver answered 410. New events are not sent to it.',
    },
    ru: {
      subject: 'вебхук выключен',
      meaning:
        'Вебхук выключен: пять дней подряд доставка не удавалась, или получатель ответил 410. Новые события ему не отправляются.',
    },
  },
  StorageNotWritable: {
    lookAt: '/health/ready',
    en: {
      subject: 'files cannot be written',
      meaning:
        'The shop cannot write files. Uploads, new sizes of images and scraping fail; catalogue, orders and feeds work.',
    },
    ru: {
      subject: 'хранилище недоступно для записи',
      meaning:
        'Магазин не может записывать файлы. Загрузка изображений, их новые размеры и сбор с сайта поставщика не работают; каталог, заказы и фиды работают.',
    },
  },
} satisfies { [name: string]: { lookAt: string; en: Words; ru: Words } }

export type AlertName = keyof typeof ALERTS
export const ALERT_NAMES = Object.keys(ALERTS).filter((name): name is AlertName => name in ALERTS)
