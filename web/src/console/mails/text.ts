import { language } from '../../ui/language.ts'

const en = {
  recipient: 'To',
  subject: 'Subject',
  attempts: 'Attempts',
  none: 'No mails. The shop writes one with every order and contact request, once it knows whom to.',
  statuses: { PENDING: 'Waiting', SENT: 'Sent', FAILED: 'Failed' },
  test: 'Send a test mail',
  delivered: 'Delivered',
}

const ru: typeof en = {
  recipient: 'Кому',
  subject: 'Тема',
  attempts: 'Попытки',
  none: 'Писем нет. Магазин пишет их о заказах и обращениях, когда знает кому.',
  statuses: { PENDING: 'Ждёт', SENT: 'Отправлено', FAILED: 'Не дошло' },
  test: 'Пробное письмо',
  delivered: 'Доставлено',
}

export const t = language === 'ru' ? ru : en
