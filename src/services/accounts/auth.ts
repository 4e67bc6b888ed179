import { findUserByEmail, updatePassword } from '../../../db/queries/accounts/users.ts'
import { lockRecord, updateRecord } from '../../../db/queries/records.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { invalid, unauthorized } from '../../errors.ts'
import { clientNetwork } from '../../rules/accounts/client-address.ts'
import { normalEmail } from '../../rules/accounts/credentials.ts'
import { write } from '../../runtime/write.ts'
import type { Login, PasswordChange, ProfileChange, Registration, Session } from '../../schemas/auth.ts'
import type { User } from '../../schemas/users.ts'
import { verifyPassword } from './login-throttling.ts'
import { changedPhone, insertAccount, newAccount, toUser } from './users.ts'

/** The answer to logins, registrations, and password changes. */
export function toSession(token: string, { id, name, email, role }: UserRow): Session {
  return { token, user: { id, name, email, role } }
}

/** Creates an account with the role USER (specification, "Authentication"). @throws AppError 409 EMAIL_TAKEN; 429 */
export async function register(
  deps: Deps,
  { name, email, password }: Registration,
  address: string,
): Promise<UserRow> {
  const account = await deps.passwordQueue.run(clientNetwork(address), () =>
    newAccount(deps.passwords, { name, email, password, role: 'USER' }),
  )
  return write(deps, (tx) => insertAccount(tx, account))
}

/**
 * Logs a user in. Unknown emails and wrong passwords get the same answer after the same time.
 * @param address of the client
 * @throws AppError 401; 429 after too many failures
 */
export async function login(deps: Deps, input: Login, address: string): Promise<UserRow> {
  const email = normalEmail(input.email)
  const user = email === null ? undefined : await findUserByEmail(deps.db, email)
  const isRight = await verifyPassword(deps, { ...input, address, user })
  if (!user || !isRight) throw unauthorized()
  return user
}

/** Changes the caller's name and phone. */
export async function updateProfile(
  deps: Deps,
  user: UserRow,
  { name, phone }: ProfileChange,
): Promise<User> {
  return write(deps, async (tx) => {
    if (!(await lockRecord(tx.db, 'users', user.id))) throw unauthorized()
    const values = { name: name.trim(), phone: changedPhone(phone) }
    const row = await updateRecord(tx.db, 'users', user.id, values)
    tx.recordChange('user', [row.id])
    return toUser(row)
  })
}

/**
 * Changes the caller's password, which revokes all their tokens. Failures count as failed logins.
 * @param address of the client
 * @throws AppError 400; 401 when a concurrent change came first; 429 after too many failures
 */
export async function changePassword(
  deps: Deps,
  user: UserRow,
  { currentPassword, newPassword }: PasswordChange,
  address: string,
): Promise<UserRow> {
  const attempt = { email: user.email, address, user, password: currentPassword }
  if (!(await verifyPassword(deps, attempt)))
    throw invalid({ path: 'currentPassword', message: 'is not the current password' })
  const hash = await deps.passwords.hash(newPassword)
  return write(deps, async (tx) => {
    const changed = await updatePassword(tx.db, user.id, hash, user.token_version)
    if (!changed) throw unauthorized()
    tx.recordChange('user', [changed.id])
    return changed
  })
}
