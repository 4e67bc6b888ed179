import type { Generated, Selectable } from 'kysely'
import type { Actor } from '../../src/rules/accounts/actor.ts'
import type { Role } from '../../src/rules/accounts/roles.ts'
import type { SortFields } from '../../src/rules/lists.ts'

export type UsersTable = {
  id: Generated<number>
  name: string
  /** Lower case. */
  email: string
  phone: string | null
  role: Role
  password_hash: string
  /** Incremented by password changes; invalidates tokens with another version. */
  token_version: Generated<number>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type UserRow = Selectable<UsersTable>

/** Who calls: a user, or an API key. */
export type Caller = UserRow | (Actor & { id: null; email: null })

export const USER_COLUMNS = [
  'id',
  'name',
  'email',
  'phone',
  'role',
  'password_hash',
  'token_version',
  'created_at',
  'updated_at',
] as const satisfies (keyof UserRow)[]

export const USER_SORT = {
  id: ['id'],
  name: ['name', 'id'],
  email: ['email', 'id'],
  role: ['role', 'id'],
  createdAt: ['created_at', 'id'],
} as const satisfies SortFields<UserRow>
