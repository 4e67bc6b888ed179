import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, List, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { Page, PageQuery } from '../../src/schemas/lists.ts'
import { StartedRun } from '../../src/schemas/runs.ts'
import { SyncRun, SyncRunDetails, SyncRunQuery, SyncState } from '../../src/schemas/sync.ts'
import { getSyncRun, listSyncRuns, listSyncStates, resetSync, runSync } from '../../src/services/supplier/sync.ts'

const States = List(SyncState, 'One state per type')

/** See docs/supplier.md. */
export const syncRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/states', {
    schema: {
      operationId: 'listSyncStates',
      summary: 'List the states of the sync',
      description: 'Types that were never read are missing.',
      response: { 200: States },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async () => listSyncStates(deps),
  })

  app.post('/run', {
    schema: {
      operationId: 'runSync',
      summary: 'Start a sync run',
      description: 'Runs in the background unless `wait` is true, even if `job_sync_enabled` is false.',
      querystring: SyncRunQuery,
      response: { 200: ref(SyncRunDetails), 202: ref(StartedRun), 409: Conflict('SYNC_RUNNING') },
    },
    config: { access: 'ADMIN', permission: 'operations', mayWait: true },
    handler: async (request, reply) => {
      const { status, body } = await runSync(deps, callerOf(request), request.query)
      return reply.code(status).send(body)
    },
  })

  app.post('/reset', {
    schema: {
      operationId: 'resetSync',
      summary: 'Reset the states of the sync',
      description: 'The next run is a full load, which writes only differences.',
      response: { 200: States },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => resetSync(deps, callerOf(request)),
  })

  app.get('/runs', {
    schema: {
      operationId: 'listSyncRuns',
      summary: 'List sync runs',
      description: 'Newest first, with counts per type and the result of the feed build.',
      querystring: PageQuery,
      response: { 200: Page(SyncRun) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => listSyncRuns(deps, request.query),
  })

  app.get('/runs/:id', {
    schema: {
      operationId: 'getSyncRun',
      summary: 'Get a sync run',
      params: IdParams,
      response: { 200: ref(SyncRunDetails) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => getSyncRun(deps, request.params.id),
  })
}

/** The same actions without the prefix of the API, for operators (docs/http.md). */
export const syncAliasRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/states', {
    schema: {
      operationId: 'listSyncStatesByAlias',
      summary: 'List the states of the sync',
      description: 'Types that were never read are missing.',
      response: { 200: States },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async () => listSyncStates(deps),
  })

  app.post('/run', {
    schema: {
      operationId: 'runSyncByAlias',
      summary: 'Start a sync run',
      description: 'Runs in the background unless `wait` is true, even if `job_sync_enabled` is false.',
      querystring: SyncRunQuery,
      response: { 200: ref(SyncRunDetails), 202: ref(StartedRun), 409: Conflict('SYNC_RUNNING') },
    },
    config: { access: 'ADMIN', permission: 'operations', mayWait: true },
    handler: async (request, reply) => {
      const { status, body } = await runSync(deps, callerOf(request), request.query)
      return reply.code(status).send(body)
    },
  })

  app.post('/reset', {
    schema: {
      operationId: 'resetSyncByAlias',
      summary: 'Reset the states of the sync',
      description: 'The next run is a full load, which writes only differences.',
      response: { 200: States },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => resetSync(deps, callerOf(request)),
  })
}
