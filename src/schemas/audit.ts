import { type Static, Type } from '@sinclair/typebox'
import { AUDIT_ACTIONS, AUDIT_ENTITIES } from '../rules/audit/changes.ts'
import { DateRange, described, Enum, Id, Nullable, Page, PageQuery, ref, Timestamp } from './common.ts'

export const AuditEntity = Enum(AUDIT_ENTITIES, {
  $id: 'AuditEntity',
  description: 'Kind of the record',
})
export const AuditAction = Enum(AUDIT_ACTIONS, { $id: 'AuditAction', description: 'Kind of the change' })

function fields(description: string) {
  return Nullable(Type.Record(Type.String(), Type.Unknown(), { description }))
}

export const AuditEntry = Type.Object(
  {
    id: described(Id, 'Id of the entry'),
    changedAt: described(Timestamp, 'Time of the change'),
    actorId: Nullable(
      described(Id, 'User who made the change; null: the service itself, or a user deleted since'),
    ),
    actorEmail: Nullable(Type.String({ description: 'Email of that user, also after the user is deleted' })),
    actorKey: Nullable(Type.String({ description: 'Name of the API key that made the change' })),
    entity: ref(AuditEntity),
    entityId: Type.String({
      description: 'Id of the record, or key of the setting; `bulk`: several products',
    }),
    action: ref(AuditAction),
    before: fields('Values of the changed fields before; null: the record was created'),
    after: fields('Values of the changed fields after; null: the record was deleted'),
  },
  {
    $id: 'AuditEntry',
    description: 'A change: by whom, of what, and how',
    examples: [
      {
        id: 311,
        changedAt: '2026-11-21T10:05:00.000Z',
        actorId: 1,
        actorEmail: 'admin@shop.local',
        actorKey: null,
        entity: 'CONFIG',
        entityId: 'site_name',
        action: 'UPDATE',
        before: { value: 'Shop' },
        after: { value: 'Инструмент 24' },
      },
    ],
  },
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditEntryPage = Page(AuditEntry)

export const AuditQuery = Type.Object({
  ...PageQuery.properties,
  entity: Type.Optional(ref(AuditEntity, { description: 'Only this kind of record', examples: ['ORDER'] })),
  entityId: Type.Optional(
    Type.String({ maxLength: 100, description: 'Id of the record, or key of the setting', examples: ['12'] }),
  ),
  actorId: Type.Optional(described(Id, 'Only changes by this user')),
  actor: Type.Optional(
    Type.String({
      maxLength: 254,
      description: 'Email of a user or name of an API key, which may have been deleted since',
      examples: ['admin@shop.local'],
    }),
  ),
  ...DateRange.properties,
})
export type AuditQuery = Static<typeof AuditQuery>
