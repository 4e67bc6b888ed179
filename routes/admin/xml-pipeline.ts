import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { Page, PageQuery } from '../../src/schemas/lists.ts'
import * as wire from '../../src/schemas/pipeline.ts'
import { StartedRun, WaitQuery } from '../../src/schemas/runs.ts'
import { getPipelineRun, listPipelineRuns, runPipeline } from '../../src/services/pipeline/runs.ts'
import { getSnapshot, getSnapshotDiff, listSnapshots } from '../../src/services/pipeline/snapshots.ts'

/** See docs/pipeline.md. */
export const xmlPipelineRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/runs', {
    schema: {
      operationId: 'listPipelineRuns',
      summary: 'List pipeline runs',
      description: 'Newest first. A running one shows its progress.',
      querystring: PageQuery,
      response: { 200: Page(wire.PipelineRun) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => listPipelineRuns(deps, request.query),
  })

  app.get('/runs/:id', {
    schema: {
      operationId: 'getPipelineRun',
      summary: 'Get a pipeline run',
      params: IdParams,
      response: { 200: ref(wire.PipelineRun) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => getPipelineRun(deps, request.params.id),
  })

  app.post('/runs/:id/retry', {
    schema: {
      operationId: 'retryPipelineRun',
      summary: 'Retry a failed run from the failed stage',
      description: 'Uses the feed that was downloaded. Only the newest run can be retried.',
      params: IdParams,
      querystring: WaitQuery,
      response: {
        200: ref(wire.PipelineRun),
        202: ref(StartedRun),
        409: Conflict('PIPELINE_RUNNING', 'RUN_NOT_RETRYABLE'),
      },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request, reply) => {
      const { params, query } = request
      const { status, body } = await runPipeline(deps, callerOf(request), { ...query, dryRun: false }, params.id)
      return reply.code(status).send(body)
    },
  })

  app.get('/snapshots', {
    schema: {
      operationId: 'listSnapshots',
      summary: 'List feed snapshots',
      description: 'The last ten, newest first.',
      querystring: PageQuery,
      response: { 200: Page(wire.Snapshot) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => listSnapshots(deps, request.query),
  })

  app.get('/snapshots/:id', {
    schema: {
      operationId: 'getSnapshot',
      summary: 'Get a feed snapshot',
      params: IdParams,
      response: { 200: ref(wire.Snapshot) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => getSnapshot(deps, request.params.id),
  })

  app.get('/snapshots/:id/diff', {
    schema: {
      operationId: 'getSnapshotDiff',
      summary: 'Compare a snapshot with the previous one',
      params: IdParams,
      response: { 200: ref(wire.SnapshotDiff) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => getSnapshotDiff(deps, request.params.id),
  })
}
