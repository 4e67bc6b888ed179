import { isDeepStrictEqual } from 'node:util'

/** What is audited: orders, users (their role above all), settings, products for their prices, categories, tags, content, the licence. */
export const AUDIT_ENTITIES = [
  'ORDER',
  'USER',
  'CONFIG',
  'PRODUCT',
  'TAG',
  'CATEGORY',
  'CATEGORY_FILTER',
  'REVIEW',
  'BANNER',
  'FEATURE',
  'CATEGORY_MAPPING',
  'ATTRIBUTE_RULE',
  'IMAGE_OVERRIDE',
  'IMAGE',
  'LICENCE_PRICE',
  'LICENCE_TOPUP',
] as const
export type AuditEntity = (typeof AUDIT_ENTITIES)[number]
export const AUDIT_ACTIONS = ['CREATE', 'UPDATE', 'DELETE'] as const

type Fields = { [field: string]: unknown }

/** A change to be written down: only fields that matter, never a secret; null where there was or is nothing. */
export type Audited = {
  /** Null: the service itself. */
  actor: { id: number; email: string } | null
  entity: AuditEntity
  entityId: number | string
  before: Fields | null
  after: Fields | null
}

/**
 * What an audit entry shows of a change: all fields of what was created or deleted (the other side is null), else
 * those that differ, arrays and objects compared by value; null when none does.
 */
export function auditedChange<T extends Audited>(
  entry: T,
): (T & { action: (typeof AUDIT_ACTIONS)[number] }) | null {
  const { before, after } = entry
  if (before === null || after === null) return { ...entry, action: before === null ? 'CREATE' : 'DELETE' }
  const differing = Object.keys(after).filter((field) => !isDeepStrictEqual(before[field], after[field]))
  if (differing.length === 0) return null
  const pick = (fields: Fields) =>
    Object.fromEntries(differing.map((field) => [field, fields[field] ?? null]))
  return { ...entry, action: 'UPDATE', before: pick(before), after: pick(after) }
}
