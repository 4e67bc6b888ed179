import { type Static, Type } from '@sinclair/typebox'
import { AUDIT_ACTIONS } from '../../db/tables/audit-log.ts'
import { AUDIT_ENTITIES } from '../rules/audit/changes.ts'
import { DateRange, Enum, Id, Nullable, Page, PageQuery, ref, Timestamp } from './common.ts'

const Entity = Enum(AUDIT_ENTITIES)
const Fields = Type.Record(Type.String(), Type.Unknown())

export const AuditEntry = Type.Object(
  {
    id: Type.Integer(),
    changedAt: Timestamp,
    actorId: Nullable(Type.Integer({ description: 'Null: the service itself, or a user deleted since' })),
    actorEmail: Nullable(Type.String()),
    entity: Entity,
    entityId: Type.String({ description: 'Id of the order, user or product; the key of a setting' }),
    action: Enum(AUDIT_ACTIONS),
    before: Nullable(Fields),
    after: Nullable(Fields),
  },
  { $id: 'AuditEntry' },
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditPage = Page(ref(AuditEntry))

export const AuditQuery = Type.Object({
  ...PageQuery.properties,
  entity: Type.Optional(Entity),
  entityId: Type.Optional(Type.String({ maxLength: 100 })),
  actorId: Type.Optional(Id),
  actor: Type.Optional(Type.String({ maxLength: 254, description: 'Email, also of a user deleted since' })),
  ...DateRange.properties,
})
export type AuditQuery = Static<typeof AuditQuery>
