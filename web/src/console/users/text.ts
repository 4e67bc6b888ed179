import { withCommon } from '../text.ts'

export const t = withCommon({
  newUser: ['New user', 'Новый пользователь'],
  searchHint: ['Name or email', 'Имя или почта'],
  none: ['No users match.', 'Таких пользователей нет.'],
  newPassword: ['New password (empty: as it is)', 'Новый пароль (пусто: прежний)'],
  resetTotp: ['Reset', 'Сбросить'],
  resetQuestion: [
    (name: string) =>
      `Switch off two-factor login of ${name}? For somebody who lost both the app and the recovery codes.`,
    (name: string) => `Выключить вход с кодом у «${name}»? Для тех, кто потерял и приложение, и запасные коды.`,
  ],
  blocks: ['Blocked logins', 'Заблокированные входы'],
  blocksHint: [
    'After too many failed attempts. They end by themselves.',
    'После слишком многих неудачных попыток. Снимаются сами.',
  ],
  lift: ['Lift', 'Снять'],
  failures: [(count: number) => `${count} failures`, (count: number) => `неудач: ${count}`],
  until: [(time: string) => `until ${time}`, (time: string) => `до ${time}`],
})
