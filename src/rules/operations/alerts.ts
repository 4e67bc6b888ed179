/** What operators are alerted of. Sections of docs/alerts.md have these names. */
export const ALERTS = {
  SyncStale: {
    en: 'prices and stock are out of date: no sync has succeeded for too long',
    ru: 'цены и остатки устарели: давно не было успешной синхронизации',
  },
  SyncWaiting: {
    en: "many products are missing from the supplier's list, and stay on sale until you decide",
    ru: 'из списка поставщика пропало много товаров; они остаются в продаже до вашего решения',
  },
  FeedRefused: {
    en: 'the new feed has failed its check and is not published',
    ru: 'новый фид не прошёл проверку и не опубликован',
  },
  PipelineFailed: {
    en: "processing of the supplier's XML feed has failed",
    ru: 'обработка XML-фида поставщика не удалась',
  },
  MailsFailing: {
    en: 'no mail has been delivered for an hour; mails wait and are tried again',
    ru: 'уже час почта не отправляется; письма ждут в очереди',
  },
  WebhooksFailing: {
    en: 'a webhook has accepted no events for an hour; they wait and are tried again',
    ru: 'вебхук уже час не принимает события; они ждут в очереди',
  },
  WebhookSwitchedOff: {
    en: 'a webhook that kept failing was switched off',
    ru: 'вебхук выключен, потому что не принимал события',
  },
  StorageNotWritable: {
    en: 'files cannot be written: uploads and new sizes of images fail',
    ru: 'файлы не записываются: загрузка изображений и их новые размеры не работают',
  },
}

export type AlertName = keyof typeof ALERTS
export const ALERT_NAMES = Object.keys(ALERTS).filter((name): name is AlertName => name in ALERTS)
