import { type Static, Type } from '@sinclair/typebox'
import { USER_SORT } from '../../db/tables/users.ts'
import { ROLES } from '../rules/accounts/roles.ts'
import { Nullable, PageQuery, SortQuery, Timestamp } from './common.ts'

export const RoleName = Type.Union(ROLES.map((role) => Type.Literal(role)))

export const PersonName = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })
/** Spaces around it are dropped; whether it is an address is checked after that. */
export const Email = Type.String({ minLength: 3, maxLength: 300 })
export const NewPassword = Type.String({
  minLength: 8,
  maxLength: 72,
  description: 'At least 8 characters, at most 72 bytes in UTF-8',
})
export const Phone = Nullable(Type.String({ maxLength: 50 }))

export const User = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    email: Type.String(),
    phone: Nullable(Type.String()),
    role: RoleName,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'User' },
)
export type User = Static<typeof User>

export const NewUser = Type.Object({
  name: PersonName,
  email: Email,
  password: NewPassword,
  role: RoleName,
  phone: Type.Optional(Phone),
})
export type NewUser = Static<typeof NewUser>

export const UserChange = Type.Object({
  name: PersonName,
  email: Email,
  role: RoleName,
  phone: Type.Optional(Phone),
  password: Type.Optional(NewPassword),
})
export type UserChange = Static<typeof UserChange>

export const UserQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(USER_SORT, 'by id'),
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of name, email or phone' })),
  role: Type.Optional(RoleName),
})
export type UserQuery = Static<typeof UserQuery>
