import { startSync } from '../../src/services/supplier/sync.ts'
import { childDeps } from './child-deps.ts'

/** A process of its own that begins a sync run and tells its id, to be killed by the test. */
const deps = await childDeps()
const { runId } = await startSync(deps, 'MANUAL')
process.send?.(JSON.stringify({ runId }))
