import type { Generated, GeneratedAlways, Selectable } from 'kysely'
import type { Amount } from './columns.ts'

/** Monthly prices, whose periods don't overlap. Dates are `YYYY-MM-DD`. */
export type LicencePricesTable = {
  id: Generated<number>
  start_date: string
  /** Included; null: open-ended. */
  end_date: string | null
  server_cost: Amount
  support_cost: Amount
  total: GeneratedAlways<string>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type LicencePriceRow = Selectable<LicencePricesTable>

export type LicenceTopupsTable = {
  id: Generated<number>
  date: string
  amount: Amount
  comment: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}
