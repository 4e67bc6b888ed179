import type { UserRow } from '../../db/tables/users.ts'
import type { Role } from '../../src/rules/accounts/roles.ts'
import type { TestShop } from './shop.ts'

/** What every account of `createUser` has. */
export const PASSWORD = 'correct horse battery'
/** Of the least cost. */
const PASSWORD_HASH = '$2b$04$7GVLdM9DAr2bEOD9XxzdVe9/rAbKLWEy2en1CgVI8U8Tii5fRuDoG'

let count = 0

/** Of the cost that passwords really have. */
export const SLOW_HASH = '$2b$10$2.1K0Kd6WSheb5b7DlNjQeoKU0XWvEntC4FvTQxXY6z.gS.qgHzG6'

type UserInput = { name?: string; email?: string; phone?: string | null; passwordHash?: string }

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
      password_hash: input.passwordHash ?? PASSWORD_HASH,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A valid token of a new user of that role; costs no password hash. */
export async function loginAs(shop: TestShop, role: Role): Promise<string> {
  return shop.app.signToken(await createUser(shop, role))
}
