import { type Static, Type } from '@sinclair/typebox'
import { Day, described, Id, Money, Nullable } from './common.ts'

const StartDate = described(Day, 'From this day on, YYYY-MM-DD')
const EndDate = Nullable(described(Day, 'Up to this day, included; null: open-ended'))
const Comment = Nullable(Type.String({ maxLength: 1000, description: 'What the money was for' }))
const ServerCost = described(Money, 'For the server, a month')
const SupportCost = described(Money, 'For support, a month')

const PRICE = { startDate: '2026-01-01', endDate: null, serverCost: 1500, supportCost: 3000 }
const TOPUP = { date: '2026-11-01', amount: 13_500, comment: 'Счёт 118' }

export const LicencePriceInput = Type.Object(
  {
    startDate: StartDate,
    endDate: Type.Optional(EndDate),
    serverCost: ServerCost,
    supportCost: SupportCost,
  },
  { $id: 'LicencePriceInput', description: 'A price as it shall be', examples: [PRICE] },
)
export type LicencePriceInput = Static<typeof LicencePriceInput>

/** Contract section 10: a price a month, and the period in which it holds. */
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
    description: 'A price a month, and the period in which it holds',
    examples: [{ id: 1, ...PRICE, total: 4500 }],
  },
)
export type LicencePrice = Static<typeof LicencePrice>

export const LicenceTopupInput = Type.Object(
  {
    date: described(Day, 'From this day on it counts, YYYY-MM-DD'),
    amount: Type.Number({ ...Money, exclusiveMinimum: 0, description: 'Above zero' }),
    comment: Type.Optional(Comment),
  },
  { $id: 'LicenceTopupInput', description: 'A top-up as it shall be', examples: [TOPUP] },
)
export type LicenceTopupInput = Static<typeof LicenceTopupInput>

export const LicenceTopup = Type.Object(
  {
    id: described(Id, 'Id of the top-up'),
    date: described(Day, 'From this day on it counts'),
    amount: described(Money, 'What was paid'),
    comment: Nullable(Type.String({ description: 'What the money was for' })),
  },
  { $id: 'LicenceTopup', description: 'Money that was paid', examples: [{ id: 4, ...TOPUP }] },
)
export type LicenceTopup = Static<typeof LicenceTopup>

export const LicenceBalance = Type.Object(
  {
    balance: Type.Number({ description: 'toppedUp − spent; negative when the money has run out' }),
    paidUntil: Nullable(
      described(Day, 'Last day that the top-ups fully cover; null: there is no price, or it never runs out'),
    ),
    monthlyTotal: Nullable(
      Type.Number({ minimum: 0, description: 'Of the period that holds today; null: none does' }),
    ),
    toppedUp: Type.Number({ minimum: 0, description: 'Top-ups dated up to today' }),
    spent: Type.Number({ minimum: 0, description: 'From the first period’s start to yesterday' }),
    asOf: described(Day, "Today in the shop's calendar"),
  },
  {
    $id: 'LicenceBalance',
    description: 'What is left of the top-ups',
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
