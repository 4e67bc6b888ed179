import { listAudit } from '../../../db/queries/audit/entries.ts'
import type { AuditLogRow } from '../../../db/tables/audit-log.ts'
import type { Deps } from '../../deps.ts'
import { readDateRange } from '../../rules/lists.ts'
import type { AuditEntry, AuditQuery } from '../../schemas/audit.ts'
import { type Page, toPage } from '../../schemas/common.ts'

/** Lists audit entries, the newest first. */
export async function listAuditEntries(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  { entity, entityId, actorId, actor, ...query }: AuditQuery,
): Promise<Page<AuditEntry>> {
  const filter = { entity, entityId, actorId, actor: actor?.trim() }
  const dates = readDateRange(query, config.shopTimeZone)
  return toPage(await listAudit(db, { ...filter, ...dates }, query), query, toEntry)
}

function toEntry(row: AuditLogRow): AuditEntry {
  return {
    id: row.id,
    changedAt: row.changed_at.toISOString(),
    actorId: row.actor_id,
    actorEmail: row.actor_email,
    actorKey: row.actor_key,
    entity: row.entity,
    entityId: row.entity_id,
    action: row.action,
    before: row.before,
    after: row.after,
  }
}
