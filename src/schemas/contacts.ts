import { type Static, Type } from '@sinclair/typebox'
import { CONTACT_SORT, CONTACT_STATUSES } from '../../db/tables/contact-requests.ts'
import {
  FreeText,
  Id,
  NamedEnum,
  NamedObject,
  Nullable,
  Only,
  optionalEmail,
  Phone,
  ref,
  Text,
  Timestamp,
  Word,
} from './common.ts'
import { CsvQuery, ListQuery, Page } from './lists.ts'

export const ContactStatus = NamedEnum('ContactStatus', 'Status of a contact request', CONTACT_STATUSES)

export const ContactRequest = NamedObject('ContactRequest', 'A message from the contact form', {
  id: Id('Id of the request'),
  name: Text('Name of the sender', 'Анна Петрова'),
  phone: Text('Phone as entered', '+7 900 123-45-67'),
  email: Nullable(Text('Email of the sender, or null', 'anna@example.com')),
  message: Text('Message', 'Когда снова будут перфораторы?'),
  status: ref(ContactStatus),
  notes: Nullable(Text('Internal notes of staff')),
  createdAt: Timestamp('Time of creation'),
  updatedAt: Timestamp('Time of the last change'),
})
export type ContactRequest = Static<typeof ContactRequest>

export const ContactRequestPage = Page(ContactRequest)

export const NewContactRequest = NamedObject('NewContactRequest', 'A message to send', {
  name: Word(200, 'Name of the sender', 'Анна Петрова'),
  phone: Phone(50, 'At least five digits', '+7 900 123-45-67'),
  message: Word(10_000, 'Message', 'Когда снова будут перфораторы?'),
  email: optionalEmail('Email of the sender', 'anna@example.com'),
  website: Type.Optional(Nullable(FreeText(2000, 'Hidden field; leave empty'))),
})
export type NewContactRequest = Static<typeof NewContactRequest>

export const ContactStatusChange = NamedObject('ContactStatusChange', 'The status to set', {
  status: ref(ContactStatus),
})

export const ContactNotesChange = NamedObject('ContactNotesChange', 'The notes to set', {
  notes: Nullable(FreeText(10_000, 'Empty or null removes them', 'Перезвонить в понедельник')),
})

export const ContactQuery = ListQuery(CONTACT_SORT, 'newest first', {
  status: Only(ContactStatus, 'requests with this status'),
  search: Type.Optional(FreeText(200, 'Part of name, phone (also digits only), email or message', 'Петрова')),
})
export type ContactQuery = Static<typeof ContactQuery>

export const ContactExportQuery = Type.Object({
  ...Type.Omit(ContactQuery, ['page', 'size']).properties,
  ...CsvQuery.properties,
})
export type ContactExportQuery = Static<typeof ContactExportQuery>

export const ContactIds = Type.Object({
  ids: FreeText(12_000, 'Comma-separated ids, at most 1000', '12,13'),
})
