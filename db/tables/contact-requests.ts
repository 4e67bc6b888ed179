import type { Generated, GeneratedAlways, Selectable } from 'kysely'

export const CONTACT_STATUSES = ['NEW', 'READ', 'IN_PROGRESS', 'CLOSED'] as const
export type ContactStatus = (typeof CONTACT_STATUSES)[number]

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
  search_text: GeneratedAlways<string>
}

export type ContactRequestRow = Selectable<ContactRequestsTable>
