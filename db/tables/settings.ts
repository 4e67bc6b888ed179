import type { Generated } from 'kysely'

export type SettingsTable = {
  key: string
  value: string
  description: Generated<string>
  is_public: Generated<boolean>
  version: Generated<number>
  updated_at: Generated<Date>
}
