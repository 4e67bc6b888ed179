import type { Expression, SqlBool } from 'kysely'
import type { AuditEntity } from '../../../src/rules/audit/changes.ts'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readPage } from '../../paging.ts'
import type { AuditLogRow, AuditLogTable } from '../../tables/audit-log.ts'
import type { JsonObject } from '../../tables/categories.ts'

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

/** Writes down who changed what, in the transaction of the change. A user deleted meanwhile is remembered by email. */
export async function recordAudit(trx: Trx, entry: AuditEntry): Promise<void> {
  await trx
    .insertInto('audit_log')
    .values((eb) => ({
      actor_id: eb
        .selectFrom('users')
        .select('id')
        .where('id', '=', entry.actor?.id ?? null),
      actor_email: entry.actor?.email ?? null,
      entity: entry.entity,
      entity_id: entry.entityId,
      action: entry.action,
      before: entry.before && JSON.stringify(entry.before),
      after: entry.after && JSON.stringify(entry.after),
    }))
    .execute()
}

export type AuditFilter = {
  entity: AuditEntity | undefined
  entityId: string | undefined
  actorId: number | undefined
  actorEmail: string | undefined
  /** Included. */
  from?: Date
  /** Not included. */
  until?: Date
}

/** Entries, the newest first. */
export function listAudit(db: Db, filter: AuditFilter, page: PageRequest): Promise<PageOf<AuditLogRow>> {
  const matching = db.selectFrom('audit_log').where((eb) => {
    const conditions: Expression<SqlBool>[] = []
    if (filter.entity !== undefined) conditions.push(eb('entity', '=', filter.entity))
    if (filter.entityId !== undefined) conditions.push(eb('entity_id', '=', filter.entityId))
    if (filter.actorId !== undefined) conditions.push(eb('actor_id', '=', filter.actorId))
    if (filter.actorEmail !== undefined) conditions.push(eb('actor_email', '=', filter.actorEmail))
    if (filter.from !== undefined) conditions.push(eb('changed_at', '>=', filter.from))
    if (filter.until !== undefined) conditions.push(eb('changed_at', '<', filter.until))
    return eb.and(conditions)
  })
  return readPage(matching.selectAll().orderBy('id', 'desc'), page)
}
