import type { XmlPipelineStageRow } from '../../../db/tables/pipeline.ts'
import { matchWarnings } from '../../rules/pipeline/warnings.ts'

/** Derived from the counts of a run's stages. */
export function warningsOf(stages: XmlPipelineStageRow[]): string[] {
  const find = (name: XmlPipelineStageRow['stage']) =>
    stages.find(({ stage, status }) => stage === name && status === 'SUCCEEDED')?.counts
  return matchWarnings(find('PARSE')?.offers, find('ATTRIBUTES')?.matched)
}
