import { type Static, Type } from '@sinclair/typebox'
import { AUDIT_ENTITIES } from '../rules/audit/changes.ts'
import { DateRange, Id, Nullable, Page, PageQuery, ref, Timestamp } from './common.ts'

const Entity = Type.Union(AUDIT_ENTITIES.map((entity) => Type.Literal(entity)))
const Fields = Type.Record(Type.String(), Type.Unknown())

export const AuditEntry = Type.Object(
  {
    id: Type.Integer(),
    changedAt: Timestamp,
    actorId: Nullable(Type.Integer({ description: 'Null: the service itself, or a user deleted since' })),
    actorEmail: Nullable(Type.String()),
    entity: Entity,
    entityId: Type.String({ description: 'Id of the order, user or product; the key of a setting' }),
    action: Type.Union([Type.Literal('CREATE'), Type.Literal('UPDATE'), Type.Literal('DELETE')]),
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
