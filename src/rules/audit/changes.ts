/** What is audited: orders, users (their role above all), settings, and products for their prices. */
export const AUDIT_ENTITIES = ['ORDER', 'USER', 'CONFIG', 'PRODUCT'] as const
export type AuditEntity = (typeof AUDIT_ENTITIES)[number]

type Fields = { [field: string]: unknown }

type Change = { before: Fields | null; after: Fields | null }

/**
 * What an audit entry shows of a change: all fields of what was created or deleted (the other side is null), else
 * those that differ; null when none does.
 */
export function auditedChange(before: Fields | null, after: Fields | null): Change | null {
  if (before === null || after === null) return { before, after }
  const differing = Object.keys(after).filter((field) => before[field] !== after[field])
  if (differing.length === 0) return null
  const pick = (fields: Fields) =>
    Object.fromEntries(differing.map((field) => [field, fields[field] ?? null]))
  return { before: pick(before), after: pick(after) }
}
