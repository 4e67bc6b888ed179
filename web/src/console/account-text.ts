import { texts } from '../ui/texts.ts'

export const t = texts({
  changePassword: ['Change password', 'Сменить пароль'],
  currentPassword: ['Current password', 'Текущий пароль'],
  newPassword: ['New password', 'Новый пароль'],
  passwordHint: ['At least 8 characters. All other sessions end.', 'Не меньше 8 знаков. Все другие сеансы закончатся.'],
})
