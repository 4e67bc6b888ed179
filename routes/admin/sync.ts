import { callerOf } from '../../plugins/auth.ts'
import { IdParams, List, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { Page, PageQuery } from '../../src/schemas/lists.ts'
import { StartedRun } from '../../src/schemas/runs.ts'
import { SyncRun, SyncRunDetails, SyncRunQuery, SyncState } from '../../src/schemas/sync.ts'
import { getSyncRun, listSyncRuns, listSyncStates, resetSync, runSync } from '../../src/services/supplier/sync.ts'
import { type Endpoints, routes } from '../endpoints.ts'

const States = List(SyncState, 'One state per type')

/** Routes for operators, with and without the /api/v1 prefix (contract section 1). */
function addActions(app: Endpoints, idSuffix: string): void {
  const { deps } = app.fastify

  app.get('/states', {
    operationId: `listSyncStates${idSuffix}`,
    summary: 'List the states of the sync',
    description: 'Types that were never read are missing.',
    response: { 200: States },
    handler: async () => listSyncStates(deps),
  })

  app.post('/run', {
    operationId: `runSync${idSuffix}`,
    summary: 'Start a sync run',
    description: 'Runs in the background unless `wait` is true, even if `job_sync_enabled` is false.',
    querystring: SyncRunQuery,
    response: { 200: ref(SyncRunDetails), 202: ref(StartedRun), 409: Conflict('SYNC_RUNNING') },
    handler: async (request, reply) => {
      const { status, body } = await runSync(deps, callerOf(request), request.query)
      return reply.code(status).send(body)
    },
  })

  app.post('/reset', {
    operationId: `resetSync${idSuffix}`,
    summary: 'Reset the states of the sync',
    description: 'The next run is a full load, which writes only differences.',
    response: { 200: States },
    handler: async (request) => resetSync(deps, callerOf(request)),
  })
}

export const syncAliasRoutes = routes('ADMIN', (app) => addActions(app, 'ByAlias'))

/** Specification, "Synchronisation (ADMIN)", and the runs of contract section 8. */
export const syncRoutes = routes('ADMIN', (app, deps) => {
  addActions(app, '')

  app.get('/runs', {
    operationId: 'listSyncRuns',
    summary: 'List sync runs',
    description: 'Newest first, with counts per type and the result of the feed build.',
    querystring: PageQuery,
    response: { 200: Page(SyncRun) },
    handler: async (request) => listSyncRuns(deps, request.query),
  })

  app.get('/runs/:id', {
    operationId: 'getSyncRun',
    summary: 'Get a sync run',
    params: IdParams,
    response: { 200: ref(SyncRunDetails) },
    handler: async (request) => getSyncRun(deps, request.params.id),
  })
})
