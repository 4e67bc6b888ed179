import { startSync } from '../../src/services/supplier/sync.ts'
import { childDeps } from './child-deps.ts'

/** Starts a sync with each message; sends the run's id, and a message at its end. The parent kills this process. */
const deps = await childDeps()
process.on('message', async () => {
  const { runId, finished } = await startSync(deps, 'MANUAL')
  process.send?.(JSON.stringify({ runId }))
  await finished
  process.send?.('finished')
})
