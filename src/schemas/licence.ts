import { type Static, Type } from '@sinclair/typebox'
import { Day, described, FreeText, Id, Money, NamedObject, Nullable, shown } from './common.ts'

export const LicencePriceInput = NamedObject('LicencePriceInput', 'A price to write', {
  startDate: described(Day, 'First day, YYYY-MM-DD'),
  endDate: Type.Optional(Nullable(described(Day, 'Last day, included; null: open-ended'))),
  serverCost: described(Money, 'Monthly cost of the server'),
  supportCost: described(Money, 'Monthly cost of support'),
})
export type LicencePriceInput = Static<typeof LicencePriceInput>

/** Contract section 10. */
export const LicencePrice = NamedObject(
  'LicencePrice',
  'A monthly price and the period in which it applies',
  {
    id: described(Id, 'Id of the price'),
    ...shown(LicencePriceInput.properties),
    total: Type.Number({ minimum: 0, description: 'serverCost + supportCost', examples: [4500] }),
  },
)
export type LicencePrice = Static<typeof LicencePrice>

export const LicenceTopupInput = NamedObject('LicenceTopupInput', 'A top-up to write', {
  date: described(Day, 'Day from which it counts, YYYY-MM-DD'),
  amount: Type.Number({
    ...Money,
    exclusiveMinimum: 0,
    description: 'Amount paid, above zero',
    examples: [13_500],
  }),
  comment: Type.Optional(Nullable(FreeText(1000, 'Purpose of the payment', 'Счёт 118'))),
})
export type LicenceTopupInput = Static<typeof LicenceTopupInput>

export const LicenceTopup = NamedObject('LicenceTopup', 'A payment', {
  id: described(Id, 'Id of the top-up'),
  ...shown(LicenceTopupInput.properties),
})
export type LicenceTopup = Static<typeof LicenceTopup>

export const LicenceBalance = NamedObject('LicenceBalance', 'Balance of the top-ups', {
  balance: Type.Number({
    description: 'toppedUp − spent; negative once the money has run out',
    examples: [10_500],
  }),
  paidUntil: Nullable(
    described(Day, 'Last day that the top-ups fully cover; null: no price, or they never run out'),
  ),
  monthlyTotal: Nullable(
    Type.Number({ minimum: 0, description: 'Monthly price today; null: none', examples: [4500] }),
  ),
  toppedUp: Type.Number({ minimum: 0, description: 'Top-ups dated up to today', examples: [13_500] }),
  spent: Type.Number({ minimum: 0, description: 'Cost of all days up to yesterday', examples: [3000] }),
  asOf: described(Day, "Today, in the shop's calendar"),
})
export type LicenceBalance = Static<typeof LicenceBalance>
