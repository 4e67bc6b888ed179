import { callerOf } from '../../plugins/auth.ts'
import { IdParams, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { Page, PageQuery } from '../../src/schemas/lists.ts'
import * as wire from '../../src/schemas/pipeline.ts'
import { StartedRun, WaitQuery } from '../../src/schemas/runs.ts'
import { ATTRIBUTE_RULES, IMAGE_OVERRIDES } from '../../src/services/pipeline/overrides.ts'
import { getPipelineRun, listPipelineRuns, runPipeline } from '../../src/services/pipeline/runs.ts'
import { getSnapshot, getSnapshotDiff, listSnapshots } from '../../src/services/pipeline/snapshots.ts'
import { recordUseCases } from '../../src/services/records.ts'
import { routes } from '../endpoints.ts'
import { recordRoutes } from '../record-routes.ts'

/** Specification, "Other administrative and content endpoints"; contract section 9, "Pipeline". */
export const xmlPipelineRoutes = routes('ADMIN', (app, deps) => {
  app.get('/runs', {
    operationId: 'listPipelineRuns',
    summary: 'List pipeline runs',
    description: 'Newest first. A running one shows its progress.',
    querystring: PageQuery,
    response: { 200: Page(wire.PipelineRun) },
    handler: async (request) => listPipelineRuns(deps, request.query),
  })

  app.get('/runs/:id', {
    operationId: 'getPipelineRun',
    summary: 'Get a pipeline run',
    params: IdParams,
    response: { 200: ref(wire.PipelineRun) },
    handler: async (request) => getPipelineRun(deps, request.params.id),
  })

  app.post('/runs/:id/retry', {
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
    handler: async (request, reply) => {
      const { params, query } = request
      const { status, body } = await runPipeline(deps, callerOf(request), { ...query, dryRun: false }, params.id)
      return reply.code(status).send(body)
    },
  })

  app.get('/snapshots', {
    operationId: 'listSnapshots',
    summary: 'List feed snapshots',
    description: 'The last ten, newest first.',
    querystring: PageQuery,
    response: { 200: Page(wire.Snapshot) },
    handler: async (request) => listSnapshots(deps, request.query),
  })

  app.get('/snapshots/:id', {
    operationId: 'getSnapshot',
    summary: 'Get a feed snapshot',
    params: IdParams,
    response: { 200: ref(wire.Snapshot) },
    handler: async (request) => getSnapshot(deps, request.params.id),
  })

  app.get('/snapshots/:id/diff', {
    operationId: 'getSnapshotDiff',
    summary: 'Compare a snapshot with the previous one',
    params: IdParams,
    response: { 200: ref(wire.SnapshotDiff) },
    handler: async (request) => getSnapshotDiff(deps, request.params.id),
  })
})

/** Contract section 9. */
export const imageOverrideRoutes = routes('ADMIN', (app) => {
  recordRoutes(app, {
    name: 'image override',
    schemas: { record: wire.ImageOverride, input: wire.ImageOverrideInput },
    notes: {
      list: "By id. An override replaces the images of the product's page, or adds to them.",
      create: "Takes effect when the product's images are fetched next.",
      update: "Takes effect when the product's images are fetched next.",
      delete: 'Images already fetched stay.',
    },
    conflicts: { create: ['PRODUCT_OVERRIDDEN'], update: ['PRODUCT_OVERRIDDEN'] },
    ...recordUseCases(IMAGE_OVERRIDES),
  })
})

/** Specification, "Other administrative and content endpoints"; contract section 9, "Pipeline". */
export const attributeRuleRoutes = routes('ADMIN', (app) => {
  recordRoutes(app, {
    name: 'attribute rule',
    schemas: { record: wire.AttributeRule, input: wire.AttributeRuleInput },
    notes: {
      list: 'By alias. A rule renames or drops an attribute that the supplier sends, in the stock system or in the XML feed, but none set by staff.',
      create: 'Takes effect at once.',
      update: 'Takes effect at once.',
      delete: "The attribute gets the supplier's name back at once.",
    },
    conflicts: { create: ['ALIAS_TAKEN'], update: ['ALIAS_TAKEN'] },
    ...recordUseCases(ATTRIBUTE_RULES),
  })
})
