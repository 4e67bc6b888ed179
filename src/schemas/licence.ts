import { type Static, Type } from '@sinclair/typebox'
import { Day, described, Id, Money, Nullable } from './common.ts'

const StartDate = described(Day, 'First day, YYYY-MM-DD')
const EndDate = Nullable(described(Day, 'Last day, included; null: open-ended'))
const Comment = Nullable(Type.String({ maxLength: 1000, description: 'Purpose of the payment' }))
const ServerCost = described(Money, 'Monthly cost of the server')
const SupportCost = described(Money, 'Monthly cost of support')

const PRICE = { startDate: '2026-01-01', endDate: null, serverCost: 1500, supportCost: 3000 }
const TOPUP = { date: '2026-11-01', amount: 13_500, comment: 'Счёт 118' }

export const LicencePriceInput = Type.Object(
  {
    startDate: StartDate,
    endDate: Type.Optional(EndDate),
    serverCost: ServerCost,
    supportCost: SupportCost,
  },
  { $id: 'LicencePriceInput', description: 'A price to write', examples: [PRICE] },
)
export type LicencePriceInput = Static<typeof LicencePriceInput>

/** Contract section 10. */
export const LicencePrice = Type.Object(
  {
    id: described(Id, 'Id of the price'),
    startDate: StartDate,
    endDate: EndDate,
    serverCost: ServerCost,
    supportCost: SupportCost,
    total: Type.Number({ minimum: 0, description: 'serverCost + supportCost' }),
  },
  {
    $id: 'LicencePrice',
    description: 'A monthly price and the period in which it applies',
    examples: [{ id: 1, ...PRICE, total: 4500 }],
  },
)
export type LicencePrice = Static<typeof LicencePrice>

export const LicenceTopupInput = Type.Object(
  {
    date: described(Day, 'Day from which it counts, YYYY-MM-DD'),
    amount: Type.Number({ ...Money, exclusiveMinimum: 0, description: 'Amount paid, above zero' }),
    comment: Type.Optional(Comment),
  },
  { $id: 'LicenceTopupInput', description: 'A top-up to write', examples: [TOPUP] },
)
export type LicenceTopupInput = Static<typeof LicenceTopupInput>

export const LicenceTopup = Type.Object(
  {
    id: described(Id, 'Id of the top-up'),
    date: described(Day, 'Day from which it counts'),
    amount: described(Money, 'Amount paid'),
    comment: Nullable(Type.String({ description: 'Purpose of the payment' })),
  },
  { $id: 'LicenceTopup', description: 'A payment', examples: [{ id: 4, ...TOPUP }] },
)
export type LicenceTopup = Static<typeof LicenceTopup>

export const LicenceBalance = Type.Object(
  {
    balance: Type.Number({ description: 'toppedUp − spent; negative once the money has run out' }),
    paidUntil: Nullable(
      described(Day, 'Last day that the top-ups fully cover; null: no price, or they never run out'),
    ),
    monthlyTotal: Nullable(Type.Number({ minimum: 0, description: 'Monthly price today; null: none' })),
    toppedUp: Type.Number({ minimum: 0, description: 'Top-ups dated up to today' }),
    spent: Type.Number({ minimum: 0, description: 'Cost of all days up to yesterday' }),
    asOf: described(Day, "Today, in the shop's calendar"),
  },
  {
    $id: 'LicenceBalance',
    description: 'Balance of the top-ups',
    examples: [
      {
        balance: 10_500,
        paidUntil: '2027-01-30',
        monthlyTotal: 4500,
        toppedUp: 13_500,
        spent: 3000,
        asOf: '2026-11-21',
      },
    ],
  },
)
export type LicenceBalance = Static<typeof LicenceBalance>
