import { listAudit } from '../../../db/queries/audit/entries.ts'
import type { Deps } from '../../deps.ts'
import { readDateRange } from '../../rules/lists.ts'
import { AuditEntry, type AuditQuery } from '../../schemas/audit.ts'
import { type Page, toPage } from '../../schemas/lists.ts'
import { toWire } from '../wire.ts'

/** Lists audit entries, the newest first. */
export async function listAuditEntries(
  { db, config }: Deps,
  { entity, entityId, actorId, actor, ...query }: AuditQuery,
): Promise<Page<AuditEntry>> {
  const filter = { entity, entityId, actorId, actor: actor?.trim() }
  const dates = readDateRange(query, config.shopTimeZone)
  return toPage(await listAudit(db, { ...filter, ...dates }, query), query, (row) => toWire(AuditEntry, row))
}
