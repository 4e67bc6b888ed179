import { callerOf } from '../../plugins/auth.ts'
import { AuditEntry, AuditQuery } from '../../src/schemas/audit.ts'
import { List, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { Page } from '../../src/schemas/lists.ts'
import { Alert, Dashboard, Job, JobChange, JobParams, JobRun } from '../../src/schemas/operations.ts'
import { StartedRun } from '../../src/schemas/runs.ts'
import { listAlerts } from '../../src/services/operations/alerts.ts'
import { getDashboard, listAuditEntries } from '../../src/services/operations/dashboard.ts'
import { listJobRuns, listJobs, startJob, updateJob } from '../../src/services/operations/jobs.ts'
import { routes } from '../endpoints.ts'

/** Contract section 11, "Jobs". */
export const jobRoutes = routes('ADMIN', (app, deps) => {
  app.get('/', {
    operationId: 'listJobs',
    summary: 'List background jobs',
    description: 'As all instances see them.',
    response: { 200: List(Job, 'The jobs') },
    handler: async () => listJobs(deps),
  })

  app.patch('/:name', {
    operationId: 'updateJob',
    summary: 'Switch a job on or off',
    description: 'Takes effect on every instance at once; a run in progress goes on.',
    params: JobParams,
    body: ref(JobChange),
    response: { 200: ref(Job) },
    handler: async (request) => updateJob(deps, callerOf(request), request.params.name, request.body),
  })

  app.post('/:name/run', {
    operationId: 'startJob',
    summary: 'Run a job now',
    description: 'Runs on this instance, even if the schedule is off.',
    params: JobParams,
    response: { 202: ref(StartedRun), 409: Conflict('JOB_RUNNING') },
    handler: async (request) => startJob(deps, callerOf(request), request.params.name),
  })

  app.get('/:name/runs', {
    operationId: 'listJobRuns',
    summary: "List a job's last 100 runs",
    description: 'Newest first.',
    params: JobParams,
    response: { 200: List(JobRun, 'The runs') },
    handler: async (request) => listJobRuns(deps, request.params.name),
  })
})

/** Contract section 7, "Dashboard". */
export const dashboardRoutes = routes('ADMIN', (app, deps) => {
  app.get('/', {
    operationId: 'getDashboard',
    summary: 'Get the key figures of the shop',
    response: { 200: ref(Dashboard) },
    handler: async () => getDashboard(deps),
  })
})

/** Contract section 11, "Alerts". */
export const alertRoutes = routes('ADMIN', (app, deps) => {
  app.get('/', {
    operationId: 'listAlerts',
    summary: 'List open and past alerts',
    description: 'The open ones first, then those that ended last, 100 in all. Kept for 90 days.',
    response: { 200: List(Alert, 'The alerts') },
    handler: async (request) => listAlerts(deps, request.language),
  })
})

export const auditRoutes = routes('ADMIN', (app, deps) => {
  app.get('/', {
    operationId: 'listAuditEntries',
    summary: 'List changes, newest first',
    querystring: AuditQuery,
    response: { 200: Page(AuditEntry) },
    handler: async (request) => listAuditEntries(deps, request.query),
  })
})
