import { type Static, Type } from '@sinclair/typebox'
import { Day, FreeText, Id, Money, NamedObject, Nullable, shown, Total } from './common.ts'

export const LicencePriceInput = NamedObject('LicencePriceInput', 'A price to write', {
  startDate: Day('First day, YYYY-MM-DD'),
  endDate: Type.Optional(Nullable(Day('Last day, included; null: open-ended'))),
  serverCost: Money('Monthly cost of the server'),
  supportCost: Money('Monthly cost of support'),
})
export type LicencePriceInput = Static<typeof LicencePriceInput>

/** Contract section 10. */
export const LicencePrice = NamedObject(
  'LicencePrice',
  'A monthly price and the period in which it applies',
  {
    id: Id('Id of the price'),
    ...shown(LicencePriceInput.properties),
    total: Total('serverCost + supportCost', 4500),
  },
)
export type LicencePrice = Static<typeof LicencePrice>

export const LicenceTopupInput = NamedObject('LicenceTopupInput', 'A top-up to write', {
  date: Day('Day from which it counts, YYYY-MM-DD'),
  amount: Type.Number({
    ...Money('Amount paid, above zero', 13_500),
    exclusiveMinimum: 0,
  }),
  comment: Type.Optional(Nullable(FreeText(1000, 'Purpose of the payment', 'Счёт 118'))),
})
export type LicenceTopupInput = Static<typeof LicenceTopupInput>

export const LicenceTopup = NamedObject('LicenceTopup', 'A payment', {
  id: Id('Id of the top-up'),
  ...shown(LicenceTopupInput.properties),
})
export type LicenceTopup = Static<typeof LicenceTopup>

export const LicenceBalance = NamedObject('LicenceBalance', 'Balance of the top-ups', {
  balance: Type.Number({
    description: 'toppedUp − spent; negative once the money has run out',
    examples: [10_500],
  }),
  paidUntil: Nullable(Day('Last day that the top-ups fully cover; null: no price, or they never run out')),
  monthlyTotal: Nullable(Total('Monthly price today; null: none', 4500)),
  toppedUp: Total('Top-ups dated up to today', 13_500),
  spent: Total('Cost of all days up to yesterday', 3000),
  asOf: Day("Today, in the shop's calendar"),
})
export type LicenceBalance = Static<typeof LicenceBalance>
