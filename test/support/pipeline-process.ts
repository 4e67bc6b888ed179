import { startPipeline } from '../../src/services/pipeline/run.ts'
import { childDeps } from './child-deps.ts'

/** A process of its own that begins a run of the XML pipeline and tells its id, to be killed by the test. */
const deps = await childDeps()
const { runId } = await startPipeline(deps, { dryRun: false })
process.send?.(JSON.stringify({ runId }))
