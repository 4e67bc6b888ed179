import { language } from '../../ui/language.ts'

const en = {
  balance: 'Balance',
  paidUntil: 'Paid until',
  monthly: 'Per month',
  toppedUp: 'Topped up',
  spent: 'Spent',
  prices: 'Prices',
  newPrice: 'New price period',
  noPrices: 'No prices yet.',
  start: 'From',
  end: 'Until (empty: open)',
  server: 'Server',
  support: 'Support',
  total: 'Together',
  topups: 'Top-ups',
  newTopup: 'New top-up',
  noTopups: 'No top-ups yet.',
  date: 'Date',
  amount: 'Amount',
  comment: 'Comment',
}

const ru: typeof en = {
  balance: 'Остаток',
  paidUntil: 'Оплачено до',
  monthly: 'В месяц',
  toppedUp: 'Внесено',
  spent: 'Израсходовано',
  prices: 'Цены',
  newPrice: 'Новый период цен',
  noPrices: 'Цен пока нет.',
  start: 'С',
  end: 'По (пусто: без срока)',
  server: 'Сервер',
  support: 'Поддержка',
  total: 'Вместе',
  topups: 'Пополнения',
  newTopup: 'Новое пополнение',
  noTopups: 'Пополнений пока нет.',
  date: 'Дата',
  amount: 'Сумма',
  comment: 'Комментарий',
}

export const t = language === 'ru' ? ru : en
