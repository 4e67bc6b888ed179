import { type Static, Type } from '@sinclair/typebox'
import { CONSENT_KINDS } from '../../db/tables/users.ts'
import { Profile } from './auth.ts'
import * as t from './common.ts'
import { ContactRequest } from './contacts.ts'
import { Order } from './orders.ts'
import { NewUser } from './users.ts'

const ConsentKind = t.NamedEnum('ConsentKind', 'What a consent was given for', CONSENT_KINDS)

const Consent = t.NamedObject('Consent', 'A consent to the privacy policy', {
  kind: t.ref(ConsentKind),
  email: t.Nullable(t.Text('Email of that form, or null', 'anna@example.com')),
  phone: t.Nullable(t.Text('Phone of that form, or null', '+7 900 123-45-67')),
  policyVersion: t.Text('Version of the policy; empty: it had none', '2026-11'),
  givenAt: t.Timestamp('Time'),
  network: t.Text('Network that it came from', '203.0.113.0/24'),
})

const OwnContactRequest = t.NamedObject(
  'OwnContactRequest',
  'A contact request as its sender sees it',
  Type.Omit(ContactRequest, ['version', 'notes']).properties,
)

export const MyData = t.NamedObject('MyData', "What the shop has of the caller's account", {
  account: t.ref(Profile),
  orders: t.List(Order, 'Orders of the account'),
  contacts: t.List(OwnContactRequest, "Contact requests with the account's email"),
  consents: t.List(Consent, "Consents with the account's email"),
  reviews: Type.Array(Type.Unknown(), {
    maxItems: 0,
    description: 'Empty: staff enter reviews, which belong to no account',
  }),
})
export type MyData = Static<typeof MyData>

export const AccountDeletion = t.NamedObject('AccountDeletion', "The caller's password", {
  password: t.FreeText(1000, 'The current password', 'what Anna thought of'),
})
export type AccountDeletion = Static<typeof AccountDeletion>

export const Erasure = t.NamedObject('Erasure', 'The person to erase, by email or by phone', {
  email: Type.Optional(NewUser.properties.email),
  phone: Type.Optional(t.Phone('Compared by digits')),
  dryRun: Type.Optional(Type.Boolean({ description: 'Only report what would be erased; absent: false' })),
})
export type Erasure = Static<typeof Erasure>

const ErasedOrders = t.NamedObject('ErasedOrders', 'The orders of an erased person', {
  erased: t.Count('Finished orders, which keep their figures', 1),
  open: Type.Array(t.Id('Id of an order'), {
    description: "Orders that aren't finished, and are kept with their contact data",
  }),
})

export const Erased = t.NamedObject('Erased', 'What was erased, or would be in a dry run', {
  orders: t.ref(ErasedOrders),
  contacts: t.Count('Contact requests, which are deleted', 1),
  mails: t.Count('Mails, which are deleted', 3),
  users: t.Count('Accounts, which are deleted', 1),
  consents: t.Count('Consents, which are deleted', 2),
  audit: t.Count('Entries of the audit log, which are cut to states', 2),
})
export type Erased = Static<typeof Erased>
