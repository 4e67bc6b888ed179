import { type Static, Type } from '@sinclair/typebox'
import { AUDIT_ACTIONS } from '../../db/tables/audit-log.ts'
import { AUDIT_ENTITIES } from '../rules/audit/changes.ts'
import { DateRange, described, Enum, Id, Nullable, Page, PageQuery, ref, Timestamp } from './common.ts'

export const AuditEntity = Enum(AUDIT_ENTITIES, {
  $id: 'AuditEntity',
  description: 'What kind of record was changed',
})
export const AuditAction = Enum(AUDIT_ACTIONS, { $id: 'AuditAction', description: 'What was done to it' })

function fields(description: string) {
  return Nullable(Type.Record(Type.String(), Type.Unknown(), { description }))
}

export const AuditEntry = Type.Object(
  {
    id: described(Id, 'Id of the entry'),
    changedAt: described(Timestamp, 'When it was done'),
    actorId: Nullable(described(Id, 'Who did it; null: the service itself, or a user deleted since')),
    actorEmail: Nullable(Type.String({ description: 'Their email, kept when the user is deleted' })),
    entity: ref(AuditEntity),
    entityId: Type.String({
      description: 'Id of the record, key of the setting; `bulk`: many products at once',
    }),
    action: ref(AuditAction),
    before: fields('The fields that differ, as they were; null: it was made'),
    after: fields('The fields that differ, as they are; null: it was deleted'),
  },
  {
    $id: 'AuditEntry',
    description: 'Who changed what, and how',
    examples: [
      {
        id: 311,
        changedAt: '2026-11-21T10:05:00.000Z',
        actorId: 1,
        actorEmail: 'admin@shop.local',
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
  entity: Type.Optional(ref(AuditEntity, { description: 'Records of this kind only', examples: ['ORDER'] })),
  entityId: Type.Optional(
    Type.String({ maxLength: 100, description: 'Id of the record, key of the setting', examples: ['12'] }),
  ),
  actorId: Type.Optional(described(Id, 'What this user did')),
  actor: Type.Optional(
    Type.String({
      maxLength: 254,
      description: 'Email, also of a user deleted since',
      examples: ['admin@shop.local'],
    }),
  ),
  ...DateRange.properties,
})
export type AuditQuery = Static<typeof AuditQuery>
