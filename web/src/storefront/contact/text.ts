import { texts } from '../../ui/texts.ts'

export const t = texts({
  message: ['Message', 'Сообщение'],
  send: ['Send', 'Отправить'],
  sent: ['Thank you, we have your message and will answer soon.', 'Спасибо, сообщение получено. Скоро ответим.'],
})
