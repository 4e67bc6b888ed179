import type { Generated, GeneratedAlways, Selectable } from 'kysely'
import type { KeyRole } from '../../src/rules/accounts/api-keys.ts'

export type ApiKeysTable = {
  id: GeneratedAlways<number>
  name: string
  role: KeyRole
  /** SHA-256 of the key. */
  key_hash: Buffer
  /** Null: never. */
  expires_at: Date | null
  /** To the minute. */
  last_used_at: Date | null
  created_at: Generated<Date>
  /** Email of the user. */
  created_by: string
}

export type ApiKeyRow = Selectable<ApiKeysTable>
