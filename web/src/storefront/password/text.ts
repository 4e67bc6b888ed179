import { withCommon } from '../text.ts'

export const t = withCommon({
  emailHint: [
    'We send a link there, with which you choose a new password',
    'Пришлём ссылку, по которой можно выбрать новый пароль',
  ],
  send: ['Send the link', 'Прислать ссылку'],
  sent: [
    'If there is an account with this email, the link is on its way. It works for an hour.',
    'Если аккаунт с этой почтой есть, ссылка уже отправлена. Она действует час.',
  ],
  reset: ['New password', 'Новый пароль'],
  save: ['Save the password', 'Сохранить пароль'],
  changed: ['The password is changed.', 'Пароль изменён.'],
  signIn: ['Sign in', 'Войти'],
  askAgain: ['Ask for another link', 'Запросить другую ссылку'],
})
