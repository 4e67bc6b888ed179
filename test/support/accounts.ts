import type { UserRow } from '../../db/tables/users.ts'
import type { Role } from '../../src/rules/accounts/roles.ts'
import type { TestShop } from './shop.ts'

/** Password of every account that `createUser` creates. */
export const PASSWORD = 'correct horse battery'
/** Hashed at the lowest cost. */
const PASSWORD_HASH = '$2b$04$7GVLdM9DAr2bEOD9XxzdVe9/rAbKLWEy2en1CgVI8U8Tii5fRuDoG'

let count = 0

type UserInput = { name?: string; email?: string; phone?: string | null; passwordHash?: string }

/** Inserts a user; the email is unique by default. */
export function createUser({ deps }: TestShop, role: Role, input: UserInput = {}): Promise<UserRow> {
  count += 1
  return deps.db
    .insertInto('users')
    .values({
      name: input.name ?? `${role} ${count}`,
      email: input.email ?? `${role.toLowerCase()}-${count}@example.test`,
      phone: input.phone ?? null,
      role,
      password_hash: input.passwordHash ?? PASSWORD_HASH,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Creates a user with the role and returns a token, without hashing a password. */
export async function loginAs(shop: TestShop, role: Role): Promise<string> {
  return shop.app.signToken(await createUser(shop, role))
}
