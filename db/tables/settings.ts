import type { Generated } from 'kysely'

export type SettingsTable = {
  key: string
  value: string
  description: Generated<string>
  is_public: Generated<boolean>
  /** Counts the changes that staff made. */
  version: Generated<number>
  updated_at: Generated<Date>
}
