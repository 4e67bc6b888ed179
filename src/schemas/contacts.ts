import { type Static, Type } from '@sinclair/typebox'
import { CONTACT_SORT, CONTACT_STATUSES } from '../../db/tables/content.ts'
import { readIdList } from '../rules/lists.ts'
import * as t from './common.ts'
import { Consent } from './consent.ts'
import { ExportQuery, ListQuery, Several, SeveralWords } from './lists.ts'

export const ContactStatus = t.NamedEnum('ContactStatus', 'Status of a contact request', CONTACT_STATUSES)

export const ContactRequest = t.NamedObject('ContactRequest', 'A message from the contact form', {
  id: t.Id('Id of the request'),
  name: t.Text('Name of the sender', 'Анна Петрова'),
  phone: t.Text('Phone as entered', '+7 900 123-45-67'),
  email: t.Nullable(t.Text('Email of the sender, or null', 'anna@example.com')),
  message: t.Text('Message', 'Когда снова будут перфораторы?'),
  status: t.ref(ContactStatus),
  notes: t.Nullable(t.Text('Internal notes of staff')),
  ...t.EDITED,
})
export type ContactRequest = Static<typeof ContactRequest>

export const NewContactRequest = t.NamedObject('NewContactRequest', 'A message to send', {
  name: t.NonBlankLine(200, 'Name of the sender', 'Анна Петрова'),
  phone: t.Phone('Phone of the sender: at least five digits'),
  message: t.NonBlank(10_000, 'Message', 'Когда снова будут перфораторы?'),
  email: t.optionalEmail('Email of the sender'),
  consent: Consent,
  website: Type.Optional(t.Nullable(t.FreeText(2000, 'Hidden field; leave empty'))),
})
export type NewContactRequest = Static<typeof NewContactRequest>

export const ContactStatusChange = t.NamedObject('ContactStatusChange', 'The status to set', {
  status: t.ref(ContactStatus),
})

export const ContactNotesChange = t.NamedObject('ContactNotesChange', 'The notes to set', {
  notes: t.Nullable(t.FreeText(10_000, 'Empty or null removes them', 'Перезвонить в понедельник')),
})

export const ContactQuery = ListQuery(CONTACT_SORT, 'newest first', {
  status: SeveralWords(CONTACT_STATUSES, 'Only requests with this status'),
  search: t.FreeText(200, 'Part of name, phone (however written), email or message', 'Петрова'),
})
export type ContactQuery = Static<typeof ContactQuery>

export const SentContactRequest = t.NamedObject(
  'SentContactRequest',
  'A contact request as its sender and exports see it',
  Type.Omit(ContactRequest, ['version']).properties,
)

export const ContactExportQuery = ExportQuery(ContactQuery)
export type ContactExportQuery = Static<typeof ContactExportQuery>

export const ContactIds = Type.Object({
  ids: Several(12_000, 'Ids, at most 1000', '12,13', (text) => readIdList(text)),
})
