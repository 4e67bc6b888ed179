import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { List, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { Job, JobChange, JobParams, JobRun } from '../../src/schemas/jobs.ts'
import { StartedRun } from '../../src/schemas/runs.ts'
import { listJobRuns, listJobs, startJob, updateJob } from '../../src/services/operations/jobs.ts'

/** See docs/operations.md. */
export const jobRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listJobs',
      summary: 'List background jobs',
      description: 'As all instances see them.',
      response: { 200: List(Job, 'The jobs') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async () => listJobs(deps),
  })

  app.patch('/:name', {
    schema: {
      operationId: 'updateJob',
      summary: 'Switch a job on or off',
      description: 'Takes effect on every instance at once; a run in progress goes on.',
      params: JobParams,
      body: ref(JobChange),
      response: { 200: ref(Job) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => updateJob(deps, callerOf(request), request.params.name, request.body),
  })

  app.post('/:name/run', {
    schema: {
      operationId: 'startJob',
      summary: 'Run a job now',
      description: 'Runs on this instance, even if the schedule is off.',
      params: JobParams,
      response: { 202: ref(StartedRun), 409: Conflict('JOB_RUNNING') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request, reply) =>
      reply.code(202).send(await startJob(deps, callerOf(request), request.params.name)),
  })

  app.get('/:name/runs', {
    schema: {
      operationId: 'listJobRuns',
      summary: "List a job's last 100 runs",
      description: 'Newest first.',
      params: JobParams,
      response: { 200: List(JobRun, 'The runs') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => listJobRuns(deps, request.params.name),
  })
}
