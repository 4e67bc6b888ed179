import { withCommon } from '../text.ts'

export const t = withCommon({
  balance: ['Balance', 'Остаток'],
  paidUntil: ['Paid until', 'Оплачено до'],
  monthly: ['Per month', 'В месяц'],
  toppedUp: ['Topped up', 'Внесено'],
  spent: ['Spent', 'Израсходовано'],
  prices: ['Prices', 'Цены'],
  newPrice: ['New price period', 'Новый период цен'],
  noPrices: ['No prices yet.', 'Цен пока нет.'],
  end: ['Until (empty: open)', 'По (пусто: без срока)'],
  server: ['Server', 'Сервер'],
  support: ['Support', 'Поддержка'],
  total: ['Together', 'Вместе'],
  topups: ['Top-ups', 'Пополнения'],
  newTopup: ['New top-up', 'Новое пополнение'],
  noTopups: ['No top-ups yet.', 'Пополнений пока нет.'],
  amount: ['Amount', 'Сумма'],
  comment: ['Comment', 'Комментарий'],
})
