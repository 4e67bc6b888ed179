import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../accounts/roles.ts'

export const AUDIT_ENTITIES = [
  'ORDER',
  'USER',
  'PRIVACY',
  'CONTACT',
  'CONFIG',
  'PRODUCT',
  'TAG',
  'CATEGORY',
  'CATEGORY_FILTER',
  'BRAND',
  'REVIEW',
  'BANNER',
  'FEATURE',
  'CATEGORY_MAPPING',
  'ATTRIBUTE',
  'ATTRIBUTE_RULE',
  'IMAGE_OVERRIDE',
  'IMAGE',
  'LICENCE_PRICE',
  'LICENCE_TOPUP',
  'API_KEY',
  'MAIL',
  'LOGIN_BLOCK',
  'DELETED_PRODUCT',
  'SYNC',
  'PIPELINE',
  'JOB',
  'WEBHOOK',
] as const
export type AuditEntity = (typeof AUDIT_ENTITIES)[number]
export const AUDIT_ACTIONS = ['CREATE', 'UPDATE', 'DELETE'] as const

export type Fields = { [field: string]: unknown }

/** A change to audit. `before` is null for a new record, `after` for a deleted one; neither holds secrets. */
export type Audited = {
  /** Null: the service itself. */
  actor: Pick<Actor, 'id' | 'email' | 'name'> | null
  entity: AuditEntity
  entityId: number | string
  before: Fields | null
  after: Fields | null
}

/**
 * Reduces an update to the fields that differ, comparing arrays and objects by value.
 * @returns null when no field differs
 */
export function auditedChange<T extends Audited>(entry: T): (T & { action: (typeof AUDIT_ACTIONS)[number] }) | null {
  const before = entry.before && auditedFields(entry.before)
  const after = entry.after && withoutCreation(auditedFields(entry.after))
  if (before === null || after === null)
    return { ...entry, before, after, action: before === null ? 'CREATE' : 'DELETE' }
  const changed = changedFields(before, after)
  return changed && { ...entry, action: 'UPDATE', ...changed }
}

/** Without version and time of the change, which differ after every write. */
function auditedFields({ version: _, updatedAt: __, ...fields }: Fields): Fields {
  return fields
}

/** The entry itself has the time of a creation; that of a deleted record can't be read elsewhere. */
function withoutCreation({ createdAt: _, ...fields }: Fields): Fields {
  return fields
}

/** Reduces two versions of a record to the fields that differ. @returns null when none does */
export function changedFields(before: Fields, after: Fields): { before: Fields; after: Fields } | null {
  const differing = Object.keys(after).filter((field) => !isDeepStrictEqual(before[field], after[field]))
  if (differing.length === 0) return null
  const pick = (fields: Fields) => Object.fromEntries(differing.map((field) => [field, fields[field] ?? null]))
  return { before: pick(before), after: pick(after) }
}
