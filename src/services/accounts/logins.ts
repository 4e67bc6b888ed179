import { recordLogin } from '../../../db/queries/accounts/rate-limits.ts'
import { findUserByEmail, lockUsers } from '../../../db/queries/accounts/users.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { totpRequired, unauthorized } from '../../errors.ts'
import { loginNetwork } from '../../rules/accounts/client-address.ts'
import { compactCode, normalEmail } from '../../rules/accounts/credentials.ts'
import { write } from '../../runtime/write.ts'
import type * as wire from '../../schemas/auth.ts'
import { verifyPassword, withinCodeLimit } from './rate-limits.ts'
import { useCode } from './totp.ts'

type Outcome = 'SUCCEEDED' | 'WRONG_PASSWORD' | 'WRONG_CODE' | 'CODE_REQUIRED'

/**
 * Logs a user in. Unknown emails and wrong passwords get the same answer after the same time.
 * @param address of the client
 * @throws AppError 401, TOTP_REQUIRED if only the code of the second factor is missing; 429 after too many failures
 */
export async function login(deps: Deps, input: wire.Login, address: string): Promise<UserRow> {
  const email = normalEmail(input.email)
  const user = email === null ? undefined : await findUserByEmail(deps.db, email)
  const code = compactCode(input.code ?? '')
  let outcome: Outcome = 'WRONG_PASSWORD'
  await verifyPassword(deps, { ...input, address, user }, async (owner) => {
    outcome = await proceed(deps, owner, code, address)
    return outcome !== 'WRONG_CODE'
  })
  return refuseUnlessRight(user, outcome)
}

function refuseUnlessRight(user: UserRow | undefined, outcome: Outcome): UserRow {
  if (outcome === 'CODE_REQUIRED') throw totpRequired()
  if (user === undefined || outcome !== 'SUCCEEDED') throw unauthorized()
  return user
}

/** Checks the second factor of a user whose password is right, and records the login. */
async function proceed(deps: Deps, user: UserRow, code: string, address: string): Promise<Outcome> {
  if (user.totp_enabled && code === '') return 'CODE_REQUIRED'
  let outcome: Outcome = 'WRONG_CODE'
  const complete = () =>
    write(deps, async (tx) => {
      const [current] = await lockUsers(tx.db, [user.id])
      if (current?.token_version !== user.token_version) throw unauthorized()
      // Switched on since the user was read.
      if (current.totp_enabled && !user.totp_enabled) throw totpRequired()
      if (current.totp_enabled && !(await useCode(deps, tx.db, user, code))) return false
      await recordLogin(tx.db, user.id, loginNetwork(address))
      outcome = 'SUCCEEDED'
      return true
    })
  await (user.totp_enabled ? withinCodeLimit(deps, user.email, complete) : complete())
  return outcome
}
