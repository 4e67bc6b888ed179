import { language } from '../../ui/language.ts'

const en = {
  searchHint: 'Name, phone, email or text',
  none: 'No requests. What visitors send by the contact form appears here.',
  phone: 'Phone',
  message: 'Message',
  notes: 'Notes of staff',
  received: 'Received',
}

const ru: typeof en = {
  searchHint: 'Имя, телефон, почта или текст',
  none: 'Обращений нет. Здесь появляется то, что посетители пишут через форму связи.',
  phone: 'Телефон',
  message: 'Сообщение',
  notes: 'Заметки сотрудников',
  received: 'Получено',
}

export const t = language === 'ru' ? ru : en
