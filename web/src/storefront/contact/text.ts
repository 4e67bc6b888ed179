import { language } from '../../ui/language.ts'

const en = {
  name: 'Name',
  phone: 'Phone',
  email: 'Email',
  message: 'Message',
  send: 'Send',
  sent: 'Thank you, we have your message and will answer soon.',
}

const ru: typeof en = {
  name: 'Имя',
  phone: 'Телефон',
  email: 'Электронная почта',
  message: 'Сообщение',
  send: 'Отправить',
  sent: 'Спасибо, сообщение получено. Скоро ответим.',
}

export const t = language === 'ru' ? ru : en
