import { type Static, Type } from '@sinclair/typebox'
import { CONTACT_SORT } from '../../db/tables/contact-requests.ts'
import { CONTACT_STATUSES } from '../rules/contacts/requests.ts'
import { Enum, Nullable, PageQuery, SortQuery, Timestamp } from './common.ts'

const ContactStatus = Enum(CONTACT_STATUSES)

export const ContactRequest = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    phone: Type.String(),
    email: Nullable(Type.String()),
    message: Type.String(),
    status: ContactStatus,
    notes: Nullable(Type.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'ContactRequest' },
)
export type ContactRequest = Static<typeof ContactRequest>

export const NewContactRequest = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
  phone: Type.String({ minLength: 1, maxLength: 50, pattern: '\\S', description: 'At least five digits' }),
  message: Type.String({ minLength: 1, maxLength: 10_000, pattern: '\\S' }),
  email: Type.Optional(Nullable(Type.String({ maxLength: 254 }))),
  website: Type.Optional(
    Nullable(Type.String({ maxLength: 2000, description: 'Hidden from people, who leave it empty' })),
  ),
})
export type NewContactRequest = Static<typeof NewContactRequest>

export const ContactStatusChange = Type.Object({ status: ContactStatus })

export const ContactNotesChange = Type.Object({
  notes: Nullable(Type.String({ maxLength: 10_000, description: 'Empty or null: none' })),
})

export const ContactQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(CONTACT_SORT, 'the newest first'),
  status: Type.Optional(ContactStatus),
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Part of name, phone (also digits only), email or message' }),
  ),
})
export type ContactQuery = Static<typeof ContactQuery>

export const ContactIds = Type.Object({
  ids: Type.String({ maxLength: 12_000, description: 'Ids with commas between them, at most 1000' }),
})
