import type { Trx } from '../database.ts'
import type { AuditEntity, AuditLogTable } from '../tables/audit-log.ts'
import type { JsonObject } from '../tables/categories.ts'

export type AuditEntry = {
  /** Null: the service itself. */
  actor: { id: number; email: string } | null
  entity: AuditEntity
  entityId: string
  action: AuditLogTable['action']
  /** Only the fields that matter, never a secret; null where there was or is nothing. */
  before: JsonObject | null
  after: JsonObject | null
}

/** Writes down who changed what, in the transaction of the change. */
export async function recordAudit(trx: Trx, entry: AuditEntry): Promise<void> {
  await trx
    .insertInto('audit_log')
    .values({
      actor_id: entry.actor?.id ?? null,
      actor_email: entry.actor?.email ?? null,
      entity: entry.entity,
      entity_id: entry.entityId,
      action: entry.action,
      before: entry.before && JSON.stringify(entry.before),
      after: entry.after && JSON.stringify(entry.after),
    })
    .execute()
}
