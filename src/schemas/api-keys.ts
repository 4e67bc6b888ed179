import { type Static, Type } from '@sinclair/typebox'
import { KEY_ROLES } from '../rules/accounts/roles.ts'
import * as t from './common.ts'

const KeyRole = t.NamedEnum(
  'KeyRole',
  'Role of a key; it may do no more than its creator still may, nothing without that account',
  KEY_ROLES,
)
const KeyName = t.NonBlank(100, 'What the key is for; names it in the audit log', 'Accounting export')

export const ApiKey = t.NamedObject('ApiKey', 'A key for a script or an integration', {
  id: t.Id('Id of the key'),
  name: KeyName,
  role: t.ref(KeyRole),
  expiresAt: t.Nullable(t.Timestamp('When the key stops working; null: never')),
  lastUsedAt: t.Nullable(t.Timestamp('Last use, to the minute; null: never')),
  createdAt: t.Timestamp('Time of creation'),
  createdBy: t.Text('Email of the user who created it', 'admin@shop.local'),
})
export type ApiKey = Static<typeof ApiKey>

export const CreatedApiKey = t.NamedObject('CreatedApiKey', 'A new key, with its secret', {
  ...ApiKey.properties,
  key: t.Text('The bearer token; not shown again', 'shop_mZ0W3nqkq1c8Hn0k4l7r0w2yT1B6m3xgJx8y5Qv9Abc'),
})
export type CreatedApiKey = Static<typeof CreatedApiKey>

export const NewApiKey = t.NamedObject('NewApiKey', 'A key to create', {
  name: KeyName,
  role: t.ref(KeyRole),
  expiresAt: Type.Optional(t.Nullable(t.Timestamp('When the key stops working; null: never'))),
})
export type NewApiKey = Static<typeof NewApiKey>
