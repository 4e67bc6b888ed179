import { texts } from '../../ui/texts.ts'
import { withCommon } from '../text.ts'

export const t = withCommon({
  appearance: ['Appearance and language', 'Оформление и язык'],
  currentPassword: ['Current password', 'Текущий пароль'],
  newPassword: ['New password', 'Новый пароль'],
  passwordHint: ['At least 8 characters. All other sessions end.', 'Не меньше 8 знаков. Все другие сеансы закончатся.'],
  logins: ['Last logins', 'Последние входы'],
  noLogins: ['None are recorded yet.', 'Пока не записаны.'],
  when: ['When', 'Когда'],
  outcome: ['Outcome', 'Чем кончился'],
  client: ['Browser', 'Браузер'],
  network: ['Network', 'Сеть'],
  outcomes: texts({
    SUCCEEDED: ['Succeeded', 'Успешно'],
    WRONG_PASSWORD: ['Wrong password', 'Неверный пароль'],
    WRONG_CODE: ['Wrong code', 'Неверный код'],
    CODE_REQUIRED: ['No code', 'Без кода'],
  }),
  logOutEverywhere: ['Log out everywhere', 'Выйти везде'],
  logOutQuestion: [
    'All your sessions end, this one included. API keys stay valid.',
    'Закончатся все ваши сеансы, и этот тоже. Ключи API останутся.',
  ],
  totpRequired: [
    'The shop requires two-factor login of its staff. Set it up here; then everything else opens.',
    'Магазин требует от сотрудников вход с кодом. Настройте его здесь, и откроется всё остальное.',
  ],
  totpHint: [
    'Logging in then takes a code of an authenticator app on your telephone, too.',
    'Тогда для входа нужен ещё код из приложения-аутентификатора на телефоне.',
  ],
  totpIsOn: ['On: each login needs a code.', 'Включён: при каждом входе нужен код.'],
  setUp: ['Set up', 'Настроить'],
  scan: ['Scan this with your authenticator app', 'Отсканируйте приложением-аутентификатором'],
  typeSecret: ['Or type this into the app', 'Или введите в приложение'],
  recoveryCodes: ['Recovery codes', 'Запасные коды'],
  keepCodes: [
    'Keep them where you find them without your telephone. Each works once. They are not shown again.',
    'Сохраните их там, где найдёте без телефона. Каждый действует один раз. Больше они показаны не будут.',
  ],
  openApp: ['Open the app on this device', 'Открыть приложение на этом устройстве'],
  changePassword: ['Change password', 'Сменить пароль'],
  firstCode: ['Code that the app shows', 'Код из приложения'],
  switchOn: ['Switch on', 'Включить'],
  switchOff: ['Switch off', 'Выключить'],
})
