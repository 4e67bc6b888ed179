import type { PipelineRun } from '../../src/schemas/pipeline.ts'
import { getPipelineRun, retryPipeline, startPipeline } from '../../src/services/pipeline/runs.ts'
import type { TestShop } from './shop.ts'

/** Runs the pipeline to its end. */
export async function syncPipeline({ deps }: TestShop): Promise<PipelineRun> {
  const { runId, finished } = await startPipeline(deps)
  await finished
  return getPipelineRun(deps, runId)
}

/** Retries a run from its failed stage, to the end. */
export async function retryAndWait({ deps }: TestShop, id: number): Promise<PipelineRun> {
  const { finished } = await retryPipeline(deps, id)
  await finished
  return getPipelineRun(deps, id)
}

/** The statuses of a run's stages, in order. */
export function statuses(run: PipelineRun): string {
  return run.stages.map(({ status }) => status).join(' ')
}
