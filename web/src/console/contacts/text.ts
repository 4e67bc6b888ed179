import { withCommon } from '../text.ts'

export const t = withCommon({
  searchHint: ['Name, phone, email or text', 'Имя, телефон, почта или текст'],
  none: [
    'No requests. What visitors send by the contact form appears here.',
    'Обращений нет. Здесь появляется то, что посетители пишут через форму связи.',
  ],
  message: ['Message', 'Сообщение'],
  received: ['Received', 'Получено'],
})
