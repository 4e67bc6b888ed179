import { type Static, Type } from '@sinclair/typebox'
import { USER_SORT } from '../../db/tables/users.ts'
import { LOGIN_BLOCK_KINDS } from '../rules/accounts/client-address.ts'
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_LENGTH } from '../rules/accounts/credentials.ts'
import { KEY_ROLES, ROLES } from '../rules/accounts/roles.ts'
import * as t from './common.ts'
import { ListQuery } from './lists.ts'

const Role = t.NamedEnum('Role', 'Role of a user; each includes the previous ones', ROLES)

/** It is trimmed when stored. plugins/validation.ts defines the format. */
const Email = Type.String({
  minLength: 1,
  maxLength: 300,
  format: 'email',
  description: 'ASCII, at most 254 characters, case-insensitive',
  examples: ['petr@example.com'],
})
export const NewPassword = Type.String({
  minLength: MIN_PASSWORD_LENGTH,
  maxLength: MAX_PASSWORD_BYTES,
  format: 'password',
  description: `At least ${MIN_PASSWORD_LENGTH} characters, at most ${MAX_PASSWORD_BYTES} bytes in UTF-8`,
  examples: ['a long enough one'],
})

export const User = t.NamedObject('User', 'A user account', {
  id: t.Id('Id of the account'),
  name: t.Text('Name of the person', 'Анна Петрова'),
  email: t.Text('Email in lower case, for logging in', 'anna@example.com'),
  phone: t.Nullable(t.Text('Phone as entered', '+7 900 123-45-67')),
  role: t.ref(Role),
  createdAt: t.Timestamp('Time of creation'),
  updatedAt: t.Timestamp('Time of the last change'),
})
export type User = Static<typeof User>

export const NewUser = t.NamedObject('NewUser', 'An account to create', {
  name: t.NonBlankLine(100, 'Name of the person', 'Пётр Иванов'),
  email: Email,
  password: NewPassword,
  role: t.ref(Role),
  phone: t.optionalText(50, 'Free text'),
})
export type NewUser = Static<typeof NewUser>

export const UserChange = t.NamedObject('UserChange', 'An account update; absent optional fields keep their values', {
  ...NewUser.properties,
  password: Type.Optional({ ...NewPassword, description: 'New password; revokes all tokens' }),
})
export type UserChange = Static<typeof UserChange>

export const UserQuery = ListQuery(USER_SORT, 'by id', {
  search: t.FreeText(200, 'Part of name, email or phone (however written)', 'anna'),
  role: t.Only(Role, 'accounts with this role'),
})
export type UserQuery = Static<typeof UserQuery>

const BlockId = t.FreeText(32, 'Id of the block', '5d41402abc4b2a76b9719d911017c592')

const LoginBlockKind = t.NamedEnum(
  'LoginBlockKind',
  'What is blocked: an email from one address, an address, or an email',
  LOGIN_BLOCK_KINDS,
)

export const LoginBlock = t.NamedObject('LoginBlock', 'A limit on failed logins that has been reached', {
  id: BlockId,
  kind: t.ref(LoginBlockKind),
  email: t.Nullable(t.Text('Email; null: any, or one without an account', 'anna@example.com')),
  address: t.Nullable(t.Text('Address, or network in IPv6; null: any', '203.0.113.7')),
  failures: t.Count('Failed logins'),
  until: t.Timestamp('When the block ends by itself'),
})
export type LoginBlock = Static<typeof LoginBlock>

export const LoginBlockParams = Type.Object({ id: BlockId })

const KeyRole = t.NamedEnum('KeyRole', 'Role of a key; each includes the previous ones', KEY_ROLES)
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
