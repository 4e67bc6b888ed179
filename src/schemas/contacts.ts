import { type Static, Type } from '@sinclair/typebox'
import { CONTACT_SORT } from '../../db/tables/contact-requests.ts'
import { CONTACT_STATUSES } from '../rules/contacts/requests.ts'
import {
  described,
  Enum,
  Id,
  Nullable,
  optionalEmail,
  Page,
  PageQuery,
  Phone,
  ref,
  SortQuery,
  Timestamp,
  Word,
} from './common.ts'
import { CsvQuery } from './exports.ts'

export const ContactStatus = Enum(CONTACT_STATUSES, {
  $id: 'ContactStatus',
  description: 'Status of a contact request',
})

const EXAMPLE = {
  name: 'Анна Петрова',
  phone: '+7 900 123-45-67',
  email: 'anna@example.com',
  message: 'Когда снова будут перфораторы?',
}

export const ContactRequest = Type.Object(
  {
    id: described(Id, 'Id of the request'),
    name: Type.String({ description: 'Name of the sender' }),
    phone: Type.String({ description: 'Phone as entered' }),
    email: Nullable(Type.String({ description: 'Email of the sender, or null' })),
    message: Type.String({ description: 'Message' }),
    status: ref(ContactStatus),
    notes: Nullable(Type.String({ description: 'Internal notes of staff' })),
    createdAt: described(Timestamp, 'Time of creation'),
    updatedAt: described(Timestamp, 'Time of the last change'),
  },
  {
    $id: 'ContactRequest',
    description: 'A message from the contact form',
    examples: [
      {
        id: 12,
        ...EXAMPLE,
        status: 'NEW',
        notes: null,
        createdAt: '2026-11-21T10:05:00.000Z',
        updatedAt: '2026-11-21T10:05:00.000Z',
      },
    ],
  },
)
export type ContactRequest = Static<typeof ContactRequest>

export const ContactRequestPage = Page(ContactRequest)

export const NewContactRequest = Type.Object(
  {
    name: Word(200, 'Name of the sender'),
    phone: Phone(50, 'At least five digits'),
    message: Word(10_000, 'Message'),
    email: optionalEmail('Email of the sender'),
    website: Type.Optional(
      Nullable(Type.String({ maxLength: 2000, description: 'Hidden field; leave empty' })),
    ),
  },
  { $id: 'NewContactRequest', description: 'A message to send', examples: [EXAMPLE] },
)
export type NewContactRequest = Static<typeof NewContactRequest>

export const ContactStatusChange = Type.Object(
  { status: ref(ContactStatus) },
  {
    $id: 'ContactStatusChange',
    description: 'The status to set',
    examples: [{ status: CONTACT_STATUSES[1] }],
  },
)

export const ContactNotesChange = Type.Object(
  { notes: Nullable(Type.String({ maxLength: 10_000, description: 'Empty or null removes them' })) },
  {
    $id: 'ContactNotesChange',
    description: 'The notes to set',
    examples: [{ notes: 'Перезвонить в понедельник' }],
  },
)

export const ContactQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(CONTACT_SORT, 'newest first'),
  status: Type.Optional(
    ref(ContactStatus, { description: 'Only requests with this status', examples: ['NEW'] }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Part of name, phone (also digits only), email or message',
      examples: ['Петрова'],
    }),
  ),
})
export type ContactQuery = Static<typeof ContactQuery>

export const ContactExportQuery = Type.Object({
  ...Type.Omit(ContactQuery, ['page', 'size']).properties,
  ...CsvQuery.properties,
})
export type ContactExportQuery = Static<typeof ContactExportQuery>

export const ContactIds = Type.Object({
  ids: Type.String({
    maxLength: 12_000,
    description: 'Comma-separated ids, at most 1000',
    examples: ['12,13'],
  }),
})
