import type { Generated, GeneratedAlways, Selectable } from 'kysely'

export type ContactRequestsTable = {
  id: Generated<number>
  name: string
  phone: string
  email: string | null
  message: string
  status: Generated<ContactStatus>
  notes: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
  /** Lower case; the phone also as digits only. */
  search_text: GeneratedAlways<string>
}

export type ContactRequestRow = Selectable<ContactRequestsTable>

export const CONTACT_SORT = ['createdAt', 'updatedAt', 'name', 'status', 'id'] as const

/** Specification, "Contact request states". */
export const CONTACT_STATUSES = ['NEW', 'READ', 'IN_PROGRESS', 'CLOSED'] as const
export type ContactStatus = (typeof CONTACT_STATUSES)[number]
