import { withCommon } from '../text.ts'

export const t = withCommon({
  signIn: ['Sign in', 'Вход'],
  signInButton: ['Sign in', 'Войти'],
  register: ['New account', 'Регистрация'],
  registerButton: ['Create the account', 'Зарегистрироваться'],
  hasAccount: ['I have an account', 'У меня есть аккаунт'],
  hasNone: ['I have no account yet', 'Ещё нет аккаунта'],
  code: ['Code', 'Код'],
  codeHint: [
    'Enter the code of your authenticator app, or a recovery code.',
    'Введите код из приложения-аутентификатора или запасной код.',
  ],
  wrong: ['Email or password is wrong.', 'Неверная почта или пароль.'],
  password: ['Password', 'Пароль'],
  currentPassword: ['Current password', 'Текущий пароль'],
  newPassword: ['New password', 'Новый пароль'],
  profile: ['About you', 'О вас'],
  save: ['Save', 'Сохранить'],
  saved: ['Saved', 'Сохранено'],
  myData: ['My data', 'Мои данные'],
  download: ['Download my data', 'Скачать мои данные'],
  deleteAccount: ['Delete my account', 'Удалить аккаунт'],
  deleteExplained: [
    'Orders on their way are still delivered. Finished ones lose your name. This cannot be undone.',
    'Заказы в пути будут доставлены. Из законченных исчезнет ваше имя. Отменить это нельзя.',
  ],
  signOut: ['Sign out', 'Выйти'],
  myOrders: ['My orders', 'Мои заказы'],
  noOrders: ['You have not ordered anything yet.', 'Вы ещё ничего не заказывали.'],
})
