import type { GeneratedAlways, Selectable } from 'kysely'
import type { AlertName } from '../../src/rules/operations/alerts.ts'

/** At most one of each name is open. */
export type AlertsTable = {
  id: GeneratedAlways<number>
  name: AlertName
  /** Facts for operators, in English. */
  details: string
  began_at: Date
  /** When a check no longer found the condition of an open alert; null: the last check found it. */
  absent_since: Date | null
  /** Null: open. */
  ended_at: Date | null
}
export type AlertRow = Selectable<AlertsTable>
