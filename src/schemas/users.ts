import { type Static, Type } from '@sinclair/typebox'
import { USER_SORT } from '../../db/tables/users.ts'
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_LENGTH } from '../rules/accounts/credentials.ts'
import { ROLES } from '../rules/accounts/roles.ts'
import * as t from './common.ts'
import { ListQuery } from './lists.ts'

const Role = t.NamedEnum('Role', 'Role of a user; each includes the previous ones', ROLES)

/** It is trimmed when stored. plugins/validation.ts defines the format. */
const Email = Type.String({
  minLength: 1,
  maxLength: 300,
  format: 'email',
  description: 'At most 254 characters, case-insensitive; ASCII before the @, the domain in any script',
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
  totp: Type.Boolean({ description: 'Whether a login needs a code of an authenticator app' }),
  ...t.EDITED,
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
