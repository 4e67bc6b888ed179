import { listAudit } from '../../../db/queries/audit/entries.ts'
import type { AuditLogRow } from '../../../db/tables/operations.ts'
import type { Deps } from '../../deps.ts'
import { dateRange } from '../../rules/lists.ts'
import type { AuditEntry, AuditQuery } from '../../schemas/audit.ts'
import { type Page, toPage } from '../../schemas/lists.ts'

/** Lists audit entries, the newest first. */
export async function listAuditEntries({ db, config }: Deps, query: AuditQuery): Promise<Page<AuditEntry>> {
  const filter = { ...query, actor: query.actor?.trim(), ...dateRange(query, config.shopTimeZone) }
  return toPage(await listAudit(db, filter, query), query, (row) => ({
    id: row.id,
    changedAt: row.changed_at.toISOString(),
    actorKind: kindOf(row),
    actorId: row.actor_id,
    actorEmail: row.actor_email,
    actorKey: row.actor_key,
    entity: row.entity,
    entityId: row.entity_id,
    action: row.action,
    before: row.before,
    after: row.after,
  }))
}

function kindOf({ actor_email, actor_key }: AuditLogRow) {
  if (actor_key !== null) return 'API_KEY'
  return actor_email === null ? 'SERVICE' : 'USER'
}
