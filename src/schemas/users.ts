import { type Static, Type } from '@sinclair/typebox'
import { USER_SORT } from '../../db/tables/users.ts'
import { LONGEST_PASSWORD_BYTES, SHORTEST_PASSWORD } from '../rules/accounts/credentials.ts'
import { ROLES } from '../rules/accounts/roles.ts'
import { Enum, Nullable, PageQuery, SortQuery, Timestamp } from './common.ts'

const RoleName = Enum(ROLES)

const PersonName = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })
/** Spaces around it are dropped. What the formats mean stands in plugins/validation.ts. */
const Email = Type.String({ minLength: 3, maxLength: 300, format: 'email' })
export const NewPassword = Type.String({
  minLength: SHORTEST_PASSWORD,
  maxLength: LONGEST_PASSWORD_BYTES,
  format: 'password',
  description: `At least ${SHORTEST_PASSWORD} characters, at most ${LONGEST_PASSWORD_BYTES} bytes in UTF-8`,
})
const Phone = Nullable(Type.String({ maxLength: 50 }))

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

/** A password in it is a reset. */
export const UserChange = Type.Object({ ...NewUser.properties, password: Type.Optional(NewPassword) })
export type UserChange = Static<typeof UserChange>

export const UserQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(USER_SORT, 'by id'),
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of name, email or phone' })),
  role: Type.Optional(RoleName),
})
export type UserQuery = Static<typeof UserQuery>
