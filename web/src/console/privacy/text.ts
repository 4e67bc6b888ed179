import { withCommon } from '../text.ts'

export const t = withCommon({
  hint: [
    'Erases what the shop has of a person, by email or phone. Finished orders keep their figures; open ones are kept whole.',
    'Стирает то, что магазин знает о человеке, по почте или телефону. От выполненных заказов остаются суммы; незаконченные не меняются.',
  ],
  find: ['Show what would be erased', 'Показать, что будет стёрто'],
  erase: ['Erase', 'Стереть'],
  eraseQuestion: [
    (person: string) => `Erase ${person}? This can't be undone.`,
    (person: string) => `Стереть ${person}? Это нельзя отменить.`,
  ],
  wouldErase: ['Would be erased', 'Будет стёрто'],
  erased: ['Erased', 'Стёрто'],
  finished: ['Finished orders', 'Законченные заказы'],
  open: ['Open orders, which are kept', 'Незаконченные заказы, остаются'],
  accounts: ['Accounts', 'Учётные записи'],
  consents: ['Consents', 'Согласия'],
  auditEntries: ['Entries of the audit log, cut', 'Записи журнала, сокращаются'],
})
