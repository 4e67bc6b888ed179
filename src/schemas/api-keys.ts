import { type Static, Type } from '@sinclair/typebox'
import { KEY_ROLES } from '../rules/accounts/api-keys.ts'
import { described, Enum, Id, Nullable, ref, Timestamp, Word } from './common.ts'

export const KeyRole = Enum(KEY_ROLES, {
  $id: 'KeyRole',
  description: 'Role of a key; each includes the previous ones',
})
const KeyName = Word(100, 'What the key is for; names it in the audit log')

export const ApiKey = Type.Object(
  {
    id: described(Id, 'Id of the key'),
    name: KeyName,
    role: ref(KeyRole),
    expiresAt: Nullable(described(Timestamp, 'When the key stops working; null: never')),
    lastUsedAt: Nullable(described(Timestamp, 'Last use, to the minute; null: never')),
    createdAt: described(Timestamp, 'Time of creation'),
    createdBy: Type.String({ description: 'Email of the user who created it' }),
  },
  {
    $id: 'ApiKey',
    description: 'A key for a script or an integration',
    examples: [
      {
        id: 3,
        name: 'Accounting export',
        role: 'MANAGER',
        expiresAt: '2027-11-21T00:00:00.000Z',
        lastUsedAt: '2026-11-21T10:05:00.000Z',
        createdAt: '2026-11-20T08:00:00.000Z',
        createdBy: 'admin@shop.local',
      },
    ],
  },
)
export type ApiKey = Static<typeof ApiKey>

export const CreatedApiKey = Type.Object(
  { ...ApiKey.properties, key: Type.String({ description: 'The bearer token; not shown again' }) },
  {
    $id: 'CreatedApiKey',
    description: 'A new key, with its secret',
    examples: [
      { ...ApiKey.examples[0], lastUsedAt: null, key: 'shop_mZ0W3nqkq1c8Hn0k4l7r0w2yT1B6m3xgJx8y5Qv9Abc' },
    ],
  },
)
export type CreatedApiKey = Static<typeof CreatedApiKey>

export const NewApiKey = Type.Object(
  {
    name: KeyName,
    role: ref(KeyRole),
    expiresAt: Type.Optional(Nullable(described(Timestamp, 'When the key shall stop working; null: never'))),
  },
  {
    $id: 'NewApiKey',
    description: 'A key to create',
    examples: [{ name: 'Accounting export', role: 'MANAGER', expiresAt: '2027-11-21T00:00:00Z' }],
  },
)
export type NewApiKey = Static<typeof NewApiKey>
