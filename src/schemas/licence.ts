import { type Static, Type } from '@sinclair/typebox'
import { Day, Money, Nullable } from './common.ts'

const Comment = Nullable(Type.String({ maxLength: 1000 }))

export const LicencePriceInput = Type.Object({
  startDate: Day,
  endDate: Type.Optional(Nullable(Day)),
  serverCost: Money,
  supportCost: Money,
})
export type LicencePriceInput = Static<typeof LicencePriceInput>

/** Contract section 10: a price a month, and the period in which it holds. */
export const LicencePrice = Type.Object(
  {
    id: Type.Integer(),
    startDate: Day,
    endDate: Nullable(Type.String({ format: 'date', description: 'Included; null: open-ended' })),
    serverCost: Type.Number({ description: 'A month' }),
    supportCost: Type.Number({ description: 'A month' }),
    total: Type.Number({ description: 'serverCost + supportCost' }),
  },
  { $id: 'LicencePrice' },
)
export type LicencePrice = Static<typeof LicencePrice>

export const LicenceTopupInput = Type.Object({
  date: Day,
  amount: Type.Number({ ...Money, exclusiveMinimum: 0 }),
  comment: Type.Optional(Comment),
})
export type LicenceTopupInput = Static<typeof LicenceTopupInput>

export const LicenceTopup = Type.Object(
  { id: Type.Integer(), date: Day, amount: Type.Number(), comment: Nullable(Type.String()) },
  { $id: 'LicenceTopup' },
)
export type LicenceTopup = Static<typeof LicenceTopup>

export const LicenceBalance = Type.Object(
  {
    balance: Type.Number({ description: 'toppedUp − spent; negative when the money has run out' }),
    paidUntil: Nullable(
      Type.String({
        format: 'date',
        description: 'Last day that the top-ups fully cover; null: there is no price, or it never runs out',
      }),
    ),
    monthlyTotal: Nullable(Type.Number({ description: 'Of the period that holds today; null: none does' })),
    toppedUp: Type.Number({ description: 'Top-ups dated up to today' }),
    spent: Type.Number({ description: 'From the first period’s start to yesterday' }),
    asOf: Day,
  },
  { $id: 'LicenceBalance' },
)
export type LicenceBalance = Static<typeof LicenceBalance>
