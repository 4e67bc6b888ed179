import { childDeps } from './child-deps.ts'

/** A process of its own that begins a sync run and tells its id, to be killed by the test. */
const deps = await childDeps()
const { runId } = await deps.sync.start('MANUAL')
process.send?.(JSON.stringify({ runId }))
