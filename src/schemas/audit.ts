import { type Static, Type } from '@sinclair/typebox'
import { ACTOR_KINDS } from '../rules/accounts/roles.ts'
import { AUDIT_ACTIONS, AUDIT_ENTITIES } from '../rules/audit/changes.ts'
import * as t from './common.ts'
import { DateRange, PageQuery } from './lists.ts'

const AuditEntity = t.NamedEnum('AuditEntity', 'Kind of the record', AUDIT_ENTITIES)
const AuditAction = t.NamedEnum('AuditAction', 'Kind of the change', AUDIT_ACTIONS)

export const ActorKind = t.NamedEnum(
  'ActorKind',
  "Who acted: an account, an API key, a customer without an account or by an order's link, or the shop itself",
  ACTOR_KINDS,
)

function fields(description: string) {
  return t.Nullable(Type.Record(Type.String(), Type.Unknown(), { description, examples: [{ value: 'Shop' }] }))
}

export const AuditEntry = t.NamedObject('AuditEntry', 'A change: who made it, to what, and how', {
  id: t.Id('Id of the entry'),
  changedAt: t.Timestamp('Time of the change'),
  actorKind: t.ref(ActorKind),
  actorId: t.Nullable(t.Id('User who made the change; null: the service itself, or a user deleted since')),
  actorEmail: t.Nullable(t.Text('Email of that user, kept when the user is deleted', 'admin@shop.local')),
  actorKey: t.Nullable(t.Text('Name of the API key that made the change')),
  entity: t.ref(AuditEntity),
  entityId: t.Text('Id, key or name of the record; `bulk` and `import`: several products or reviews', 'site_name'),
  action: t.ref(AuditAction),
  before: fields('Values of the changed fields before; null: the record was created'),
  after: fields('Values of the changed fields after; null: the record was deleted'),
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditQuery = Type.Object({
  ...PageQuery.properties,
  entity: t.Only(AuditEntity, 'this kind of record'),
  ...t.partial({
    entityId: t.FreeText(100, 'Id of the record, or key of the setting', '12'),
    actorId: t.Id('Only changes by this user'),
    actor: t.FreeText(
      254,
      'Email of a user or name of an API key, which may have been deleted since',
      'admin@shop.local',
    ),
  }),
  ...DateRange.properties,
})
export type AuditQuery = Static<typeof AuditQuery>
