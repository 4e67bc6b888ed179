import type { UserRow } from '../../../db/tables/users.ts'
import type { UnitOfWork } from '../../runtime/write.ts'

type Fields = { [field: string]: unknown }

/** Writes down a change of an order by staff: the fields that differ, or all of an order that was deleted. */
export function auditOrder(
  tx: UnitOfWork,
  actor: UserRow,
  orderId: number,
  before: Fields,
  after: Fields | null,
): void {
  tx.audit({ actor, entity: 'ORDER', entityId: orderId, before, after })
}
