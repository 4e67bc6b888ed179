import type { Trx } from '../../../db/database.ts'
import { recordAudit } from '../../../db/queries/audit/entries.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import { auditedChange } from '../../rules/audit/changes.ts'

type Fields = { [field: string]: unknown }

/** Writes down a change of an order by staff: the fields that differ; nothing when none does. */
export async function auditOrder(
  trx: Trx,
  actor: UserRow,
  orderId: number,
  before: Fields,
  after: Fields | null,
): Promise<void> {
  const change = auditedChange(before, after)
  const action = after === null ? 'DELETE' : 'UPDATE'
  if (change === null) return
  await recordAudit(trx, { actor, entity: 'ORDER', entityId: String(orderId), action, ...change })
}
