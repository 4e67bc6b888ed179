import {
  deleteAnswered,
  insertLogin,
  type LoginRow,
  listLogins as listRows,
} from '../../../db/queries/accounts/logins.ts'
import { readNetworks, recordLogin } from '../../../db/queries/accounts/rate-limits.ts'
import { findUserByEmail, lockUsers, revokeTokens } from '../../../db/queries/accounts/users.ts'
import { enqueueMail } from '../../../db/queries/mail/outbox.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { totpRequired, unauthorized } from '../../errors.ts'
import { loginNetwork } from '../../rules/accounts/client-address.ts'
import { clientName } from '../../rules/accounts/client-name.ts'
import { compactCode, type LoginOutcome, normalEmail } from '../../rules/accounts/credentials.ts'
import { isStaff } from '../../rules/accounts/roles.ts'
import { newNetworkMail } from '../../rules/mail/accounts.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type * as wire from '../../schemas/auth.ts'
import { mailContext } from '../mail/mail.ts'
import { settingValues } from '../settings/settings.ts'
import { verifyPassword, withinCodeLimit } from './rate-limits.ts'
import { useCode } from './totp.ts'

/** The client that sends a login. */
export type Origin = { address: string; userAgent: string | undefined }

/**
 * Logs a user in. Unknown emails and wrong passwords get the same answer after the same time.
 * @throws AppError 401, TOTP_REQUIRED if only the code of the second factor is missing; 429 after too many failures
 */
export async function login(deps: Deps, input: wire.Login, origin: Origin): Promise<UserRow> {
  const email = normalEmail(input.email)
  const user = email === null ? undefined : await findUserByEmail(deps.db, email)
  const code = compactCode(input.code ?? '')
  const attempt = { email: input.email, password: input.password, address: origin.address, user }
  let outcome: LoginOutcome = 'WRONG_PASSWORD'
  await verifyPassword(deps, attempt, async (owner) => {
    outcome = await proceed(deps, owner, code, origin)
    return outcome !== 'WRONG_CODE'
  })
  return userOf(deps, user, outcome, origin)
}

/** @throws AppError 401 */
function userOf(deps: Deps, user: UserRow | undefined, outcome: LoginOutcome, origin: Origin): UserRow {
  if (user !== undefined && outcome === 'SUCCEEDED') return user
  // After the response, also for an unknown email: its time says nothing about accounts.
  deps.tasks
    .run(() => insertLogin(deps.db, { user_id: user?.id ?? 0, outcome, ...traitsOf(origin) }))
    .catch((err: unknown) => deps.log.warn({ err }, 'failed login not recorded'))
  throw outcome === 'CODE_REQUIRED' ? totpRequired() : unauthorized()
}

/** Checks the second factor of a user whose password is right, and records the login. */
async function proceed(deps: Deps, user: UserRow, code: string, origin: Origin): Promise<LoginOutcome> {
  if (user.totp_enabled && code === '') return 'CODE_REQUIRED'
  const context = mailContext(deps.config, await settingValues(deps))
  let outcome: LoginOutcome = 'WRONG_CODE'
  const complete = () =>
    write(deps, async (tx) => {
      const [current] = await lockUsers(tx.db, [user.id])
      if (current?.token_version !== user.token_version) throw unauthorized()
      // Switched on since the user was read.
      if (current.totp_enabled && !user.totp_enabled) throw totpRequired()
      if (current.totp_enabled && !(await useCode(deps, tx.db, user, code))) return false
      const { network, client } = traitsOf(origin)
      if (isStaff(current) && (await isNewNetwork(tx, user.id, network))) {
        const mail = newNetworkMail(context, { at: deps.now(), network, client })
        await enqueueMail(tx.db, { recipient: current.email, ...mail })
      }
      await recordLogin(tx.db, user.id, network)
      await deleteAnswered(tx.db, user.id, network, client)
      await insertLogin(tx.db, { user_id: user.id, network, client, outcome: 'SUCCEEDED' })
      outcome = 'SUCCEEDED'
      return true
    })
  await (user.totp_enabled ? withinCodeLimit(deps, user.email, complete) : complete())
  return outcome
}

/** Whether the account has logged in before, but not from this network in the last 90 days. Its row is locked. */
async function isNewNetwork({ db }: UnitOfWork, userId: number, network: string): Promise<boolean> {
  const { count, isSeen } = await readNetworks(db, userId, network)
  return count > 0 && !isSeen
}

function traitsOf({ address, userAgent }: Origin) {
  return { network: loginNetwork(address), client: clientName(userAgent) }
}

/** Lists the last ten logins of the caller's account, failed ones included. */
export async function listLogins({ db }: Deps, { id }: UserRow): Promise<wire.LoginEntry[]> {
  return (await listRows(db, id)).map(toLoginEntry)
}

function toLoginEntry({ created_at, network, client, outcome }: LoginRow): wire.LoginEntry {
  return { time: created_at.toISOString(), network, client, outcome }
}

/** Ends all sessions of the caller, live connections included. */
export function logOutEverywhere(deps: Deps, { id }: UserRow): Promise<void> {
  return write(deps, async (tx) => {
    await revokeTokens(tx.db, id)
    tx.recordChange('user', [id])
  })
}
