import { type Static, Type } from '@sinclair/typebox'
import { USER_SORT } from '../../db/tables/users.ts'
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_LENGTH } from '../rules/accounts/credentials.ts'
import { ROLES } from '../rules/accounts/roles.ts'
import { FreeText, Id, NamedEnum, NamedObject, Nullable, Only, ref, Text, Timestamp, Word } from './common.ts'
import { ListQuery, Page } from './lists.ts'

export const Role = NamedEnum('Role', 'Role of a user; each includes the previous ones', ROLES)

const PersonName = Word(100, 'Name of the person', 'Пётр Иванов')
/** Trimmed. plugins/validation.ts defines the formats. */
const Email = Type.String({
  minLength: 3,
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
const Phone = Nullable(FreeText(50, 'Free text; empty or null for none'))

export const User = NamedObject('User', 'A user account', {
  id: Id('Id of the account'),
  name: Text('Name of the person', 'Анна Петрова'),
  email: Text('Email in lower case, for logging in', 'anna@example.com'),
  phone: Nullable(Text('Phone as entered', '+7 900 123-45-67')),
  role: ref(Role),
  createdAt: Timestamp('Time of creation'),
  updatedAt: Timestamp('Time of the last change'),
})
export type User = Static<typeof User>

export const UserPage = Page(User)

export const NewUser = NamedObject('NewUser', 'An account to create', {
  name: PersonName,
  email: Email,
  password: NewPassword,
  role: ref(Role),
  phone: Type.Optional(Phone),
})
export type NewUser = Static<typeof NewUser>

export const UserChange = NamedObject(
  'UserChange',
  'An account update; absent optional fields are left unchanged',
  {
    ...NewUser.properties,
    password: Type.Optional({ ...NewPassword, description: 'New password; revokes all tokens' }),
  },
)
export type UserChange = Static<typeof UserChange>

export const UserQuery = ListQuery(USER_SORT, 'by id', {
  search: Type.Optional(FreeText(200, 'Part of name, email or phone', 'anna')),
  role: Only(Role, 'accounts with this role'),
})
export type UserQuery = Static<typeof UserQuery>
