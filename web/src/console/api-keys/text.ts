import { language } from '../../ui/language.ts'

const en = {
  none: 'No keys. A script or another system works with one in place of a password.',
  newKey: 'New key',
  role: 'Role',
  expires: 'Valid until (empty: for good)',
  lastUsed: 'Last used',
  createdBy: 'Created by',
  never: 'Never',
  secret: 'The key',
  secretOnce: 'Copy it now: it is not shown again.',
  revoke: 'Revoke',
  revokeQuestion: (name: string) => `Revoke “${name}”? What uses it stops working at once.`,
}

const ru: typeof en = {
  none: 'Ключей нет. С ключом вместо пароля работает скрипт или другая система.',
  newKey: 'Новый ключ',
  role: 'Роль',
  expires: 'Действует до (пусто: бессрочно)',
  lastUsed: 'Последнее использование',
  createdBy: 'Создал',
  never: 'Ни разу',
  secret: 'Ключ',
  secretOnce: 'Скопируйте сейчас: больше он показан не будет.',
  revoke: 'Отозвать',
  revokeQuestion: (name) => `Отозвать «${name}»? Всё, что с ним работает, сразу остановится.`,
}

export const t = language === 'ru' ? ru : en
