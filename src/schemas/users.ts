import { type Static, Type } from '@sinclair/typebox'
import { USER_SORT } from '../../db/tables/users.ts'
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_LENGTH } from '../rules/accounts/credentials.ts'
import { ROLES } from '../rules/accounts/roles.ts'
import { described, Enum, Id, Nullable, Page, PageQuery, ref, SortQuery, Timestamp } from './common.ts'

export const Role = Enum(ROLES, {
  $id: 'Role',
  description: 'Role of a user; each includes the previous ones',
})

const PersonName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  description: 'Name of the person',
})
/** Trimmed. plugins/validation.ts defines the formats. */
const Email = Type.String({
  minLength: 3,
  maxLength: 300,
  format: 'email',
  description: 'ASCII, at most 254 characters, case-insensitive',
})
export const NewPassword = Type.String({
  minLength: MIN_PASSWORD_LENGTH,
  maxLength: MAX_PASSWORD_BYTES,
  format: 'password',
  description: `At least ${MIN_PASSWORD_LENGTH} characters, at most ${MAX_PASSWORD_BYTES} bytes in UTF-8`,
})
const Phone = Nullable(Type.String({ maxLength: 50, description: 'Free text; empty or null for none' }))

export const User = Type.Object(
  {
    id: described(Id, 'Id of the account'),
    name: Type.String({ description: 'Name of the person' }),
    email: Type.String({ description: 'Email in lower case, for logging in' }),
    phone: Nullable(Type.String({ description: 'Phone as entered' })),
    role: ref(Role),
    createdAt: described(Timestamp, 'Time of creation'),
    updatedAt: described(Timestamp, 'Time of the last change'),
  },
  {
    $id: 'User',
    description: 'A user account',
    examples: [
      {
        id: 7,
        name: 'Анна Петрова',
        email: 'anna@example.com',
        phone: '+7 900 123-45-67',
        role: 'USER',
        createdAt: '2026-11-02T09:15:00.000Z',
        updatedAt: '2026-11-20T18:40:12.000Z',
      },
    ],
  },
)
export type User = Static<typeof User>

export const UserPage = Page(User)

export const NewUser = Type.Object(
  {
    name: PersonName,
    email: Email,
    password: NewPassword,
    role: ref(Role),
    phone: Type.Optional(Phone),
  },
  {
    $id: 'NewUser',
    description: 'An account to create',
    examples: [
      {
        name: 'Пётр Иванов',
        email: 'petr@example.com',
        password: 'a long enough one',
        role: 'MANAGER',
        phone: null,
      },
    ],
  },
)
export type NewUser = Static<typeof NewUser>

export const UserChange = Type.Object(
  {
    ...NewUser.properties,
    password: Type.Optional(described(NewPassword, 'New password; revokes all tokens')),
  },
  {
    $id: 'UserChange',
    description: 'An account update; absent optional fields are left unchanged',
    examples: [{ name: 'Пётр Иванов', email: 'petr@example.com', role: 'EDITOR' }],
  },
)
export type UserChange = Static<typeof UserChange>

export const UserQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(USER_SORT, 'by id'),
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Part of name, email or phone', examples: ['anna'] }),
  ),
  role: Type.Optional(ref(Role, { description: 'Only accounts with this role', examples: ['MANAGER'] })),
})
export type UserQuery = Static<typeof UserQuery>
