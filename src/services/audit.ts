import { listAudit } from '../../db/queries/audit-log.ts'
import type { AuditLogRow } from '../../db/tables/audit-log.ts'
import type { Deps } from '../deps.ts'
import type { AuditEntry, AuditQuery } from '../schemas/audit.ts'
import { type Page, toPage } from '../schemas/common.ts'

/** Who changed what, the newest first. */
export async function listAuditEntries(
  { db }: Pick<Deps, 'db'>,
  { page, size, entity, entityId, actorId, dateFrom, dateTo }: AuditQuery,
): Promise<Page<AuditEntry>> {
  const from = dateFrom === undefined ? undefined : new Date(dateFrom)
  const until = dateTo === undefined ? undefined : new Date(dateTo)
  const { rows, total } = await listAudit(db, { entity, entityId, actorId, from, until }, { page, size })
  return toPage(rows.map(toEntry), total, page, size)
}

function toEntry(row: AuditLogRow): AuditEntry {
  return {
    id: row.id,
    changedAt: row.changed_at.toISOString(),
    actorId: row.actor_id,
    actorEmail: row.actor_email,
    entity: row.entity,
    entityId: row.entity_id,
    action: row.action,
    before: row.before,
    after: row.after,
  }
}
