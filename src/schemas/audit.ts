import { type Static, Type } from '@sinclair/typebox'
import { AUDIT_ACTIONS, AUDIT_ENTITIES } from '../rules/audit/changes.ts'
import { FreeText, Id, NamedEnum, NamedObject, Nullable, Only, ref, Text, Timestamp } from './common.ts'
import { DateRange, Page, PageQuery } from './lists.ts'

export const AuditEntity = NamedEnum('AuditEntity', 'Kind of the record', AUDIT_ENTITIES)
export const AuditAction = NamedEnum('AuditAction', 'Kind of the change', AUDIT_ACTIONS)

function fields(description: string) {
  return Nullable(Type.Record(Type.String(), Type.Unknown(), { description, examples: [{ value: 'Shop' }] }))
}

export const AuditEntry = NamedObject('AuditEntry', 'A change: by whom, of what, and how', {
  id: Id('Id of the entry'),
  changedAt: Timestamp('Time of the change'),
  actorId: Nullable(Id('User who made the change; null: the service itself, or a user deleted since')),
  actorEmail: Nullable(Text('Email of that user, also after the user is deleted', 'admin@shop.local')),
  actorKey: Nullable(Text('Name of the API key that made the change')),
  entity: ref(AuditEntity),
  entityId: Text('Id of the record, or key of the setting; `bulk`: several products', 'site_name'),
  action: ref(AuditAction),
  before: fields('Values of the changed fields before; null: the record was created'),
  after: fields('Values of the changed fields after; null: the record was deleted'),
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditEntryPage = Page(AuditEntry)

export const AuditQuery = Type.Object({
  ...PageQuery.properties,
  entity: Only(AuditEntity, 'this kind of record'),
  entityId: Type.Optional(FreeText(100, 'Id of the record, or key of the setting', '12')),
  actorId: Type.Optional(Id('Only changes by this user')),
  actor: Type.Optional(
    FreeText(
      254,
      'Email of a user or name of an API key, which may have been deleted since',
      'admin@shop.local',
    ),
  ),
  ...DateRange.properties,
})
export type AuditQuery = Static<typeof AuditQuery>
