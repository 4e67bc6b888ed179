import { texts } from '../../ui/texts.ts'
import { withCommon } from '../text.ts'

export const t = withCommon({
  recipient: ['To', 'Кому'],
  subject: ['Subject', 'Тема'],
  none: [
    'No mails. The shop writes one with every order and contact request, once it knows whom to.',
    'Писем нет. Магазин пишет их о заказах и обращениях, когда знает кому.',
  ],
  statuses: texts({
    PENDING: ['Waiting', 'Ждёт'],
    SENT: ['Sent', 'Отправлено'],
    FAILED: ['Failed', 'Не дошло'],
  }),
  test: ['Send a test mail', 'Пробное письмо'],
  delivered: ['Delivered', 'Доставлено'],
})
