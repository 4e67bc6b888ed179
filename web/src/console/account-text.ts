import { language } from '../ui/language.ts'

const en = {
  changePassword: 'Change password',
  currentPassword: 'Current password',
  newPassword: 'New password',
  passwordHint: 'At least 8 characters. All other sessions end.',
}

const ru: typeof en = {
  changePassword: 'Сменить пароль',
  currentPassword: 'Текущий пароль',
  newPassword: 'Новый пароль',
  passwordHint: 'Не меньше 8 знаков. Все другие сеансы закончатся.',
}

export const t = language === 'ru' ? ru : en
