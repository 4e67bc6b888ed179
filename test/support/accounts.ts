import type { UserRow } from '../../db/tables/users.ts'
import type { Role } from '../../src/rules/accounts/roles.ts'
import type { TestShop } from './shop.ts'

/** What every account of `createUser` has, unless the test gives a hash of its own. */
export const PASSWORD = 'correct horse battery'
const PASSWORD_HASH = '$2b$10$2.1K0Kd6WSheb5b7DlNjQeoKU0XWvEntC4FvTQxXY6z.gS.qgHzG6'

let count = 0

type UserInput = { name?: string; email?: string; phone?: string | null }

/** A user of the test's own, straight in the database; the email is unique unless given. */
export function createUser({ deps }: TestShop, role: Role, input: UserInput = {}): Promise<UserRow> {
  count += 1
  return deps.db
    .insertInto('users')
    .values({
      name: input.name ?? `${role} ${count}`,
      email: input.email ?? `${role.toLowerCase()}-${count}@example.test`,
      phone: input.phone ?? null,
      role,
      password_hash: PASSWORD_HASH,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A valid token of a new user of that role; costs no password hash. */
export async function loginAs(shop: TestShop, role: Role): Promise<string> {
  return shop.app.signToken(await createUser(shop, role))
}
