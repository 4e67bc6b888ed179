import type { Generated, GeneratedAlways, Selectable } from 'kysely'
import type { AUDIT_ACTIONS, AuditEntity } from '../../src/rules/audit/changes.ts'
import type { Json } from './columns.ts'

export type AuditLogTable = {
  id: GeneratedAlways<number>
  changed_at: Generated<Date>
  /** Null: the service itself, or a user deleted since; the email remains. */
  actor_id: number | null
  actor_email: string | null
  /** Name of the API key. */
  actor_key: string | null
  entity: AuditEntity
  entity_id: string
  action: (typeof AUDIT_ACTIONS)[number]
  before: Json
  after: Json
}

export type AuditLogRow = Selectable<AuditLogTable>
