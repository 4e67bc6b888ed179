import type { Generated, GeneratedAlways, Selectable } from 'kysely'

/** Monthly prices, whose periods don't overlap. Costs are decimal text, dates `YYYY-MM-DD`. */
export type LicencePricesTable = {
  id: Generated<number>
  start_date: string
  /** Included; null: open-ended. */
  end_date: string | null
  server_cost: string
  support_cost: string
  total: GeneratedAlways<string>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type LicencePriceRow = Selectable<LicencePricesTable>

export type LicenceTopupsTable = {
  id: Generated<number>
  date: string
  /** Decimal text. */
  amount: string
  comment: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}
