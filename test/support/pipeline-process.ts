import { startPipeline } from '../../src/services/pipeline/runs.ts'
import { childDeps } from './child-deps.ts'

/** Starts a run of the XML pipeline and sends its id to the parent, which kills this process. */
const deps = await childDeps()
const { runId } = await startPipeline(deps)
process.send?.(JSON.stringify({ runId }))
