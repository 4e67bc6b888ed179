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
  never: ['Never', 'Ни разу'],
  secret: ['The key', 'Ключ'],
  secretOnce: ['Copy it now: it is not shown again.', 'Скопируйте сейчас: больше он показан не будет.'],
  revoke: ['Revoke', 'Отозвать'],
  revokeQuestion: [
    (name: string) => `Revoke “${name}”? What uses it stops working at once.`,
    (name: string) => `Отозвать «${name}»? Всё, что с ним работает, сразу остановится.`,
  ],
})
