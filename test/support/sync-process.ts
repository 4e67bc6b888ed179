import { startSync } from '../../src/services/supplier/sync.ts'
import { childDeps } from './child-deps.ts'

/** Starts a sync, and sends the run's id to the parent and a message at its end; the parent kills this process. */
const deps = await childDeps()
const { runId, finished } = await startSync(deps, 'MANUAL')
process.send?.(JSON.stringify({ runId }))
await finished
process.send?.('finished')
