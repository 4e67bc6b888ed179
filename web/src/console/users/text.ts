import { language } from '../../ui/language.ts'

const en = {
  newUser: 'New user',
  role: 'Role',
  phone: 'Phone',
  searchHint: 'Name or email',
  none: 'No users match.',
  password: 'Password',
  newPassword: 'New password (empty: as it is)',
  orders: 'Orders',
  blocks: 'Blocked logins',
  blocksHint: 'After too many failed attempts. They end by themselves.',
  lift: 'Lift',
  failures: (count: number) => `${count} failures`,
  until: (time: string) => `until ${time}`,
}

const ru: typeof en = {
  newUser: 'Новый пользователь',
  role: 'Роль',
  phone: 'Телефон',
  searchHint: 'Имя или почта',
  none: 'Таких пользователей нет.',
  password: 'Пароль',
  newPassword: 'Новый пароль (пусто: прежний)',
  orders: 'Заказы',
  blocks: 'Заблокированные входы',
  blocksHint: 'После слишком многих неудачных попыток. Снимаются сами.',
  lift: 'Снять',
  failures: (count) => `неудач: ${count}`,
  until: (time) => `до ${time}`,
}

export const t = language === 'ru' ? ru : en
