import { withCommon } from '../text.ts'

export const t = withCommon({
  none: [
    'No keys. A script or another system works with one in place of a password.',
    'Ключей нет. С ключом вместо пароля работает скрипт или другая система.',
  ],
  newKey: ['New key', 'Новый ключ'],
  expires: ['Valid until (empty: for good)', 'Действует до (пусто: бессрочно)'],
  lastUsed: ['Last used', 'Последнее использование'],
  createdBy: ['Created by', 'Создал'],
  secret: ['The key', 'Ключ'],
  revoke: ['Revoke', 'Отозвать'],
  revokeQuestion: [
    (name: string) => `Revoke “${name}”? What uses it stops working at once.`,
    (name: string) => `Отозвать «${name}»? Всё, что с ним работает, сразу остановится.`,
  ],
})
