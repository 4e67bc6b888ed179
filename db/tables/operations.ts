import type { Generated, GeneratedAlways, Selectable } from 'kysely'
import type { AUDIT_ACTIONS, AuditEntity } from '../../src/rules/audit/changes.ts'
import type { AlertName } from '../../src/rules/operations/alerts.ts'
import type { Json } from './columns.ts'
import type { RunStatus } from './sync.ts'

export const MAIL_STATUSES = ['PENDING', 'SENT', 'FAILED'] as const

export interface OperationsTables {
  /** At most one of each name is open. */
  alerts: {
    id: GeneratedAlways<number>
    name: AlertName
    /** Facts for operators, in English. */
    details: string
    began_at: Date
    /** When a check no longer found the condition of an open alert; null: the last check found it. */
    absent_since: Date | null
    /** Null: open. */
    ended_at: Date | null
  }
  job_runs: {
    id: GeneratedAlways<number>
    job: string
    status: Generated<RunStatus>
    /** Name of the process. */
    instance: string
    /** The time of the schedule, for which one run is enough; null for manual and repeated runs. */
    due_at: Date | null
    started_at: Generated<Date>
    /** Renewed during the run; a run without is taken for dead. */
    heartbeat_at: Generated<Date>
    finished_at: Date | null
    error: string | null
  }
  audit_log: {
    id: GeneratedAlways<number>
    changed_at: Generated<Date>
    /** Null: the service itself, or a user deleted since; the email remains. */
    actor_id: number | null
    actor_email: string | null
    /** Name of the API key. */
    actor_key: string | null
    entity: AuditEntity
    entity_id: string
    action: (typeof AUDIT_ACTIONS)[number]
    before: Json
    after: Json
  }
  /** The outbox, written in the transaction of the event and delivered by a job. */
  mails: {
    id: GeneratedAlways<number>
    recipient: string
    subject: string
    /** Plain text; of a sealed mail its subject. */
    body: string
    html: string | null
    /** Body and HTML of a mail that holds a secret, encrypted until it is sent. */
    sealed: Buffer | null
    status: Generated<(typeof MAIL_STATUSES)[number]>
    attempts: Generated<number>
    next_attempt_at: Generated<Date>
    last_error: string | null
    created_at: Generated<Date>
    sent_at: Date | null
    /** What it is about. Without references, as it outlives them. */
    order_id: number | null
    contact_id: number | null
  }
}

export type AlertRow = Selectable<OperationsTables['alerts']>
export type JobRunRow = Selectable<OperationsTables['job_runs']>
export type AuditLogRow = Selectable<OperationsTables['audit_log']>
