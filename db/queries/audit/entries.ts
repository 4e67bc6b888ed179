import { sql } from 'kysely'
import type { AuditEntity, Audited } from '../../../src/rules/audit/changes.ts'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readPage } from '../../paging.ts'
import type { AuditLogRow, OperationsTables } from '../../tables/operations.ts'

export type AuditRecord = Audited & { action: OperationsTables['audit_log']['action'] }

/** Inserts audit entries in the order given. The actor may have been deleted meanwhile; the email remains. */
export async function insertAudit(trx: Trx, records: AuditRecord[]): Promise<void> {
  const rows = records.map(({ actor, entityId, ...record }) => ({
    ...record,
    entity_id: String(entityId),
    actor_id: actor?.id ?? null,
    actor_email: actor?.email ?? null,
    actor_key: actor?.email === null ? actor.name : null,
  }))
  const entries = sql<(typeof rows)[number] & { position: number }>`rows from (
    jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (actor_id int, actor_email text, actor_key text, entity text,
      entity_id text, action text, before jsonb, after jsonb)
  ) with ordinality`.as<'entry'>(
    sql`entry (actor_id, actor_email, actor_key, entity, entity_id, action, before, after, position)`,
  )
  await trx
    .insertInto('audit_log')
    .columns(['actor_id', 'actor_email', 'actor_key', 'entity', 'entity_id', 'action', 'before', 'after'])
    .expression(({ selectFrom }) =>
      selectFrom(entries)
        .leftJoin('users', 'users.id', 'entry.actor_id')
        .select(['users.id', 'actor_email', 'actor_key', 'entity', 'entity_id', 'action'])
        .select([sql`nullif(before, 'null')`.as('before'), sql`nullif(after, 'null')`.as('after')])
        .orderBy('position'),
    )
    .execute()
}

export type AuditFilter = {
  entity?: AuditEntity
  entityId?: string
  actorId?: number
  /** Email of a user or name of an API key. */
  actor?: string
  from?: Date
  /** Exclusive. */
  until?: Date
}

export function listAudit(db: Db, filter: AuditFilter, page: PageRequest): Promise<PageOf<AuditLogRow>> {
  const { entity, entityId, actorId, actor, from, until } = filter
  let query = db.selectFrom('audit_log').selectAll()
  if (entity !== undefined) query = query.where('entity', '=', entity)
  if (entityId !== undefined) query = query.where('entity_id', '=', entityId)
  if (actorId !== undefined) query = query.where('actor_id', '=', actorId)
  if (actor !== undefined)
    query = query.where((eb) => eb.or([eb('actor_email', '=', actor.toLowerCase()), eb('actor_key', '=', actor)]))
  if (from !== undefined) query = query.where('changed_at', '>=', from)
  if (until !== undefined) query = query.where('changed_at', '<', until)
  return readPage(query.orderBy('id', 'desc'), page)
}
