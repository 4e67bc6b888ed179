import { language } from '../../ui/language.ts'

const en = {
  forgotten: 'Forgotten password',
  email: 'Email',
  emailHint: 'We send a link there, with which you choose a new password',
  send: 'Send the link',
  sent: 'If there is an account with this email, the link is on its way. It works for an hour.',
  reset: 'New password',
  password: 'New password',
  passwordHint: 'At least 8 characters',
  save: 'Save the password',
  changed: 'The password is changed.',
  signIn: 'Sign in',
  askAgain: 'Ask for another link',
}

const ru: typeof en = {
  forgotten: 'Забыли пароль?',
  email: 'Электронная почта',
  emailHint: 'Пришлём ссылку, по которой можно выбрать новый пароль',
  send: 'Прислать ссылку',
  sent: 'Если аккаунт с этой почтой есть, ссылка уже отправлена. Она действует час.',
  reset: 'Новый пароль',
  password: 'Новый пароль',
  passwordHint: 'Не меньше 8 знаков',
  save: 'Сохранить пароль',
  changed: 'Пароль изменён.',
  signIn: 'Войти',
  askAgain: 'Запросить другую ссылку',
}

export const t = language === 'ru' ? ru : en
