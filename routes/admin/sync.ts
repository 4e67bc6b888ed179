import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { Failure, IdParams, Page, PageQuery, ref } from '../../src/schemas/common.ts'
import { StartedSync, SyncRun, SyncRunDetails, SyncRunQuery, SyncState } from '../../src/schemas/sync.ts'
import {
  getSyncRun,
  listSyncRuns,
  listSyncStates,
  resetSync,
  runSync,
} from '../../src/services/supplier/runs.ts'

const tags = ['sync']
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
          tags,
          operationId: `listSyncStates${idSuffix}`,
          summary: 'When each type was last read from the supplier',
          response: { 200: Type.Array(ref(SyncState)) },
        },
      },
      async () => listSyncStates(deps),
    )

    app.post(
      '/run',
      {
        config: { ...config, mayTakeLong: true },
        schema: {
          tags,
          operationId: `runSync${idSuffix}`,
          summary: 'Force a sync run',
          querystring: SyncRunQuery,
          response: { 200: ref(SyncRunDetails), 202: ref(StartedSync), 409: Failure },
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
          tags,
          operationId: `resetSync${idSuffix}`,
          summary: 'Forget the state: the next run is a full load',
          response: { 200: Type.Array(ref(SyncState)) },
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
        tags,
        operationId: 'listSyncRuns',
        summary: 'Sync runs, the newest first',
        querystring: PageQuery,
        response: { 200: Page(ref(SyncRun)) },
      },
    },
    async (request) => listSyncRuns(deps, request.query),
  )

  app.get(
    '/runs/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'getSyncRun',
        summary: 'One sync run with the records that it skipped',
        params: IdParams,
        response: { 200: ref(SyncRunDetails), 404: Failure },
      },
    },
    async (request) => getSyncRun(deps, request.params.id),
  )
}
