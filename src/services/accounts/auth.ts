import { findUserByEmail, updatePassword, updateUser } from '../../../db/queries/accounts/users.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { invalid, unauthorized } from '../../errors.ts'
import { clientNetwork } from '../../rules/accounts/client-address.ts'
import { normalEmail, validPassword } from '../../rules/accounts/credentials.ts'
import { write } from '../../runtime/write.ts'
import type { Login, PasswordChange, ProfileChange, Registration, Session } from '../../schemas/auth.ts'
import type { User } from '../../schemas/users.ts'
import { type GuessDeps, guessPassword } from './guesses.ts'
import { changedPhone, insertAccount, newAccount, toUser } from './users.ts'

type Accounts = GuessDeps & Pick<Deps, 'changes'>

/** What login, registration and a change of password answer. */
export function toSession(token: string, { id, name, email, role }: UserRow): Session {
  return { token, user: { id, name, email, role } }
}

/**
 * Specification, "Authentication": a new user always has the role USER.
 * @param address of the client
 */
export async function register(
  deps: Accounts,
  { name, email, password }: Registration,
  address: string,
): Promise<UserRow> {
  const account = await deps.passwordQueue.run(clientNetwork(address), () =>
    newAccount(deps.passwords, { name, email, password, role: 'USER' }),
  )
  return write(deps, (tx) => insertAccount(tx, account))
}

/**
 * @param address of the client
 * @throws a 401 that is the same, after the same time, for an unknown email and a wrong password; a 429 after too many
 */
export async function login(deps: Accounts, input: Login, address: string): Promise<UserRow> {
  const email = normalEmail(input.email)
  const user = email === null ? undefined : await findUserByEmail(deps.db, email)
  const right = await guessPassword(deps, { ...input, address, user })
  if (!user || !right) throw unauthorized()
  return user
}

export async function updateProfile(
  deps: Pick<Deps, 'db' | 'changes'>,
  user: UserRow,
  { name, phone }: ProfileChange,
): Promise<User> {
  return write(deps, async (tx) => {
    const row = await updateUser(tx.db, user.id, { name: name.trim(), phone: changedPhone(phone) })
    if (!row) throw unauthorized()
    tx.recordChange('user', [row.id])
    return toUser(row)
  })
}

/**
 * Ends all tokens of the user, the one that the request came with included; the answer brings a new one.
 * @param address of the client: guessing the current password is limited like logging in
 */
export async function changePassword(
  deps: Accounts,
  user: UserRow,
  { currentPassword, newPassword }: PasswordChange,
  address: string,
): Promise<UserRow> {
  validPassword(newPassword, 'newPassword')
  const guess = { email: user.email, address, user, password: currentPassword }
  const right = await guessPassword(deps, guess)
  if (!right) throw invalid({ path: 'currentPassword', message: 'is not the current password' })
  const hash = await deps.passwords.hash(newPassword)
  return write(deps, async (tx) => {
    // Of two changes at once the first ends the token of the second.
    const changed = await updatePassword(tx.db, user.id, hash, user.token_version)
    if (!changed) throw unauthorized()
    tx.recordChange('user', [changed.id])
    return changed
  })
}
