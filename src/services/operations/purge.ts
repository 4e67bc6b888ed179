import { deleteExpiredCounters, deleteOldNetworks } from '../../../db/queries/accounts/rate-limits.ts'
import { deleteExpiredResets } from '../../../db/queries/accounts/users.ts'
import { deleteOldMails } from '../../../db/queries/mail/outbox.ts'
import { deletePastAlerts } from '../../../db/queries/operations/alerts.ts'
import { deleteOldKeys } from '../../../db/queries/orders/orders.ts'
import { deleteOldDeliveries } from '../../../db/queries/webhooks/webhooks.ts'
import type { Deps } from '../../deps.ts'

const ALERTS_RETENTION_MS = 90 * 86_400_000

/** Deletes what has no effect any more, and what has been kept long enough. */
export async function purge({ db, now }: Deps): Promise<void> {
  await deleteOldMails(db)
  await deletePastAlerts(db, new Date(now().getTime() - ALERTS_RETENTION_MS))
  await deleteOldDeliveries(db)
  await deleteOldKeys(db)
  await deleteExpiredCounters(db)
  await deleteOldNetworks(db)
  await deleteExpiredResets(db)
}
