import { withCommon } from '../text.ts'

export const t = withCommon({
  message: ['Message', 'Сообщение'],
  send: ['Send', 'Отправить'],
  sent: ['Thank you, we have your message and will answer soon.', 'Спасибо, сообщение получено. Скоро ответим.'],
})
