import { type Static, Type } from '@sinclair/typebox'
import { KEY_ROLES } from '../rules/accounts/api-keys.ts'
import { Id, NamedEnum, NamedObject, Nullable, ref, Text, Timestamp, Word } from './common.ts'

export const KeyRole = NamedEnum('KeyRole', 'Role of a key; each includes the previous ones', KEY_ROLES)
const KeyName = Word(100, 'What the key is for; names it in the audit log', 'Accounting export')

export const ApiKey = NamedObject('ApiKey', 'A key for a script or an integration', {
  id: Id('Id of the key'),
  name: KeyName,
  role: ref(KeyRole),
  expiresAt: Nullable(Timestamp('When the key stops working; null: never')),
  lastUsedAt: Nullable(Timestamp('Last use, to the minute; null: never')),
  createdAt: Timestamp('Time of creation'),
  createdBy: Text('Email of the user who created it', 'admin@shop.local'),
})
export type ApiKey = Static<typeof ApiKey>

export const CreatedApiKey = NamedObject('CreatedApiKey', 'A new key, with its secret', {
  ...ApiKey.properties,
  key: Text('The bearer token; not shown again', 'shop_mZ0W3nqkq1c8Hn0k4l7r0w2yT1B6m3xgJx8y5Qv9Abc'),
})
export type CreatedApiKey = Static<typeof CreatedApiKey>

export const NewApiKey = NamedObject('NewApiKey', 'A key to create', {
  name: KeyName,
  role: ref(KeyRole),
  expiresAt: Type.Optional(Nullable(Timestamp('When the key shall stop working; null: never'))),
})
export type NewApiKey = Static<typeof NewApiKey>
