import { type Static, Type } from '@sinclair/typebox'
import { LICENCE_DAY } from '../rules/license.ts'
import * as t from './common.ts'

/** Of the years 1000 to 2999. */
function Day(description: string) {
  return { ...t.Day(description), pattern: LICENCE_DAY }
}

export const LicencePriceInput = t.NamedObject('LicencePriceInput', 'A price to write', {
  startDate: Day('First day, YYYY-MM-DD'),
  endDate: Type.Optional(t.Nullable(Day('Last day, inclusive; null: open-ended'))),
  serverCost: t.Amount('Monthly cost of the server'),
  supportCost: t.Amount('Monthly cost of support'),
})
export type LicencePriceInput = Static<typeof LicencePriceInput>

export const LicencePrice = t.NamedObject('LicencePrice', 'A monthly price and the period in which it applies', {
  id: t.Id('Id of the price'),
  ...t.required(LicencePriceInput.properties),
  total: t.Total('serverCost + supportCost', 4500),
  version: t.EDITED.version,
})
export type LicencePrice = Static<typeof LicencePrice>

export const LicenceTopupInput = t.NamedObject('LicenceTopupInput', 'A top-up to write', {
  date: Day('Day from which it counts, YYYY-MM-DD'),
  amount: { ...t.Amount('Amount paid, above zero', 13_500), minimum: 0.01 },
  comment: Type.Optional(t.Nullable(t.FreeText(1000, 'Purpose of the payment', 'Счёт 118'))),
})
export type LicenceTopupInput = Static<typeof LicenceTopupInput>

export const LicenceTopup = t.NamedObject('LicenceTopup', 'A payment', {
  id: t.Id('Id of the top-up'),
  ...t.required(LicenceTopupInput.properties),
  version: t.EDITED.version,
})
export type LicenceTopup = Static<typeof LicenceTopup>

export const LicenceBalance = t.NamedObject('LicenceBalance', 'Balance of the top-ups', {
  balance: Type.Number({ description: 'toppedUp − spent; negative once the money has run out', examples: [10_500] }),
  paidUntil: t.Nullable(t.Day('Last day that the top-ups fully cover; null: no price, or they never run out')),
  monthlyTotal: t.Nullable(t.Total('Monthly price today; null: none', 4500)),
  toppedUp: t.Total('Top-ups dated up to today', 13_500),
  spent: t.Total('Cost of all days up to yesterday', 3000),
  asOf: t.Day("Today, in the shop's calendar"),
})
export type LicenceBalance = Static<typeof LicenceBalance>
