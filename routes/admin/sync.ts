import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { IdParams, PageQuery, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { StartedSync, SyncRunDetails, SyncRunPage, SyncRunQuery, SyncState } from '../../src/schemas/sync.ts'
import {
  getSyncRun,
  listSyncRuns,
  listSyncStates,
  resetSync,
  runSync,
} from '../../src/services/supplier/runs.ts'

const States = Type.Array(ref(SyncState), { description: 'The types that were read' })
const config = { access: 'ADMIN' } as const

/** What operators call with curl, with and without the /api/v1 prefix (contract section 1). */
const actions =
  (idSuffix: string): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { deps } = app

    app.get(
      '/states',
      {
        config,
        schema: {
          operationId: `listSyncStates${idSuffix}`,
          summary: 'When each type was last read from the supplier',
          description: 'A type that was never read is absent.',
          response: { 200: States },
        },
      },
      async () => listSyncStates(deps),
    )

    app.post(
      '/run',
      {
        config: { ...config, mayTakeLong: true },
        schema: {
          operationId: `runSync${idSuffix}`,
          summary: 'Force a sync run',
          description:
            'It runs in the background unless `wait` is true, also when `job_sync_enabled` is false.',
          querystring: SyncRunQuery,
          response: { 200: ref(SyncRunDetails), 202: ref(StartedSync), 409: Conflict('SYNC_RUNNING') },
        },
      },
      async (request, reply) => {
        const { status, body } = await runSync(deps, request.query)
        return reply.code(status).send(body)
      },
    )

    app.post(
      '/reset',
      {
        config,
        schema: {
          operationId: `resetSync${idSuffix}`,
          summary: 'Forget the state: the next run is a full load',
          description: 'It writes only what differs, so that nothing is lost by it.',
          response: { 200: States },
        },
      },
      async () => resetSync(deps),
    )
  }

export const syncAliasRoutes = actions('ByAlias')

/** Specification, "Synchronisation (ADMIN)", and the runs of contract section 8. */
export const syncRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  await app.register(actions(''))

  app.get(
    '/runs',
    {
      config,
      schema: {
        operationId: 'listSyncRuns',
        summary: 'Sync runs, the newest first',
        description: 'What each did, and what became of the feed after it.',
        querystring: PageQuery,
        response: { 200: ref(SyncRunPage) },
      },
    },
    async (request) => listSyncRuns(deps, request.query),
  )

  app.get(
    '/runs/:id',
    {
      config,
      schema: {
        operationId: 'getSyncRun',
        summary: 'One sync run with the records that it skipped',
        description: 'With the reason for each.',
        params: IdParams,
        response: { 200: ref(SyncRunDetails) },
      },
    },
    async (request) => getSyncRun(deps, request.params.id),
  )
}
