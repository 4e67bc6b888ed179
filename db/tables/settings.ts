import type { Generated } from 'kysely'

export type SettingsTable = {
  key: string
  value: string
  description: Generated<string>
  is_public: Generated<boolean>
  updated_at: Generated<Date>
}
