import { deleteExpiredCounters, deleteOldNetworks } from '../../../db/queries/accounts/rate-limits.ts'
import { deleteExpiredResets } from '../../../db/queries/accounts/users.ts'
import { deleteOldMails } from '../../../db/queries/mail/outbox.ts'
import { deletePastAlerts } from '../../../db/queries/operations/alerts.ts'
import { deleteOldKeys } from '../../../db/queries/orders/orders.ts'
import { deleteOldDeliveries } from '../../../db/queries/webhooks/webhooks.ts'
import type { Deps } from '../../deps.ts'

const ALERTS_RETENTION_MS = 90 * 86_400_000

/**
 * Deletes what has no effect any more, and what has been kept long enough.
 * @throws AggregateError when some of it could not be deleted; the rest was
 */
export async function purge({ db, now }: Deps): Promise<void> {
  const deletions = [
    deleteOldMails,
    () => deletePastAlerts(db, new Date(now().getTime() - ALERTS_RETENTION_MS)),
    deleteOldDeliveries,
    deleteOldKeys,
    deleteExpiredCounters,
    deleteOldNetworks,
    deleteExpiredResets,
  ]
  const failures: unknown[] = []
  for (const deletion of deletions) await deletion(db).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures, 'Old records could not be deleted')
}
