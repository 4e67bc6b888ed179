import { withCommon } from '../text.ts'

export const t = withCommon({
  open: ['Open', 'Открытые'],
  past: ['Past', 'Прошедшие'],
  nothing: ['Nothing is wrong.', 'Всё в порядке.'],
  noPast: ['None so far.', 'Пока не было.'],
  since: [(time: string) => `since ${time}`, (time: string) => `с ${time}`],
})
