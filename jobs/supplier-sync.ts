import type { Deps } from '../src/deps.ts'
import { freshConfigValue } from '../src/services/settings/settings.ts'
import { runScheduledSync } from '../src/services/supplier/runs.ts'
import type { Job } from './run-once.ts'

/** Specification, "Background jobs". */
export function supplierSyncJob(deps: Deps): Job {
  return {
    name: 'supplier-sync',
    schedule: deps.config.syncCron,
    enabled: async () => (await freshConfigValue(deps, 'job_sync_enabled')) !== 'false',
    run: () => runScheduledSync(deps),
  }
}
