import type { Generated, GeneratedAlways, Selectable } from 'kysely'
import type { ContactStatus } from '../../src/rules/contacts/status.ts'

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
