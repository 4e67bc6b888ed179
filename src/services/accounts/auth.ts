import { addToCounters, deleteLoginCounters } from '../../../db/queries/accounts/rate-limits.ts'
import {
  findUserByEmail,
  lockUsers,
  storeReset,
  takeReset,
  updatePassword,
  updateUser,
} from '../../../db/queries/accounts/users.ts'
import { enqueueMail } from '../../../db/queries/mail/outbox.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { AppError, invalid, unauthorized } from '../../errors.ts'
import { clientNetwork } from '../../rules/accounts/client-address.ts'
import { validEmail } from '../../rules/accounts/credentials.ts'
import { permissionsOf } from '../../rules/accounts/roles.ts'
import { passwordChangedMail, passwordResetMail } from '../../rules/mail/accounts.ts'
import { oneLine, textOrNull } from '../../rules/text.ts'
import { hasChanges } from '../../rules/versions.ts'
import { hashToken, newToken } from '../../runtime/secrets.ts'
import { write } from '../../runtime/write.ts'
import type * as wire from '../../schemas/auth.ts'
import { mailContext, sealMail } from '../mail/mail.ts'
import { requireConsent, storeConsent } from '../privacy/consents.ts'
import { settingValues } from '../settings/settings.ts'
import { hashEmail, verifyPassword } from './rate-limits.ts'
import { insertAccount, newAccount, toUser } from './users.ts'

/** The answer to logins, registrations, refreshes, and password changes. */
export function toSession(token: string, { id, name, email, role }: UserRow): wire.Session {
  return { token, user: { id, name, email, role, permissions: permissionsOf(role) } }
}

export function toProfile(user: UserRow): wire.Profile {
  return { ...toUser(user), permissions: permissionsOf(user.role) }
}

/** Creates an account with the role USER (docs/accounts.md). @throws AppError 400; 409 EMAIL_TAKEN; 429 */
export async function register(
  deps: Deps,
  { name, email, password, consent }: wire.Registration,
  address: string,
): Promise<UserRow> {
  const settings = await settingValues(deps)
  requireConsent(settings, consent)
  const account = await deps.passwordQueue.run(clientNetwork(address), () =>
    newAccount(deps.passwords, { name, email, password, role: 'USER' }),
  )
  return write(deps, async (tx) => {
    const user = await insertAccount(tx, account)
    const given = { consent, kind: 'REGISTRATION', email: user.email, phone: null, address } as const
    await storeConsent(tx.db, settings, given)
    return user
  })
}

/** Changes the caller's name and phone. @throws AppError 401 when the account was deleted meanwhile */
export function updateProfile(deps: Deps, { id }: UserRow, input: wire.ProfileChange): Promise<wire.Profile> {
  const values = { name: oneLine(input.name), phone: textOrNull(input.phone) }
  return write(deps, async (tx) => {
    const [before] = await lockUsers(tx.db, [id])
    if (before === undefined) throw unauthorized()
    if (!hasChanges(before, values)) return toProfile(before)
    const after = await updateUser(tx.db, id, values)
    tx.recordChange('user', [id])
    return toProfile(after)
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
  { currentPassword, newPassword }: wire.PasswordChange,
  address: string,
): Promise<UserRow> {
  const attempt = { email: user.email, address, user, password: currentPassword }
  if (!(await verifyPassword(deps, attempt))) throw invalid({ path: 'currentPassword', code: 'WRONG_PASSWORD' })
  const hash = await deps.passwords.hash(newPassword)
  return write(deps, async (tx) => {
    const changed = await updatePassword(tx.db, user.id, hash, user.token_version)
    if (!changed) throw unauthorized()
    tx.recordChange('user', [changed.id])
    return changed
  })
}

const VALID_MINUTES = 60
const MAX_MAILS_PER_HOUR = 3
const HOUR_MS = 3_600_000

/**
 * Has a link for a new password mailed to the owner of an account (docs/accounts.md). The work goes on after
 * the response, whose time therefore doesn't reveal whether there is such an account.
 * @throws AppError 400 unless it is an email address
 */
export function requestPasswordReset(deps: Deps, input: wire.PasswordResetRequest): void {
  const email = validEmail(input.email)
  deps.tasks
    .run(() => mailResetLink(deps, email))
    .catch((err: unknown) => deps.log.error({ err }, 'password reset link not mailed'))
}

async function mailResetLink(deps: Deps, email: string): Promise<void> {
  const user = await findUserByEmail(deps.db, email)
  if (user === undefined) return
  const settings = await settingValues(deps)
  const token = newToken()
  const url = `${deps.config.siteUrl}${settings.password_reset_path}?token=${token}`
  const mail = passwordResetMail(mailContext(deps.config, settings), { url, minutes: VALID_MINUTES })
  await write(deps, async (tx) => {
    // Its lock makes concurrent requests for an address wait for each other.
    const [counter] = await addToCounters(tx.db, [`reset:email:${hashEmail(email)}`], HOUR_MS)
    // The last token mailed stays valid.
    if (counter === undefined || counter.count > MAX_MAILS_PER_HOUR) return
    await storeReset(tx.db, user, hashToken(token), VALID_MINUTES)
    await enqueueMail(tx.db, { recipient: email, ...sealMail(mail, deps.config.jwtSecret) })
  })
}

/**
 * Sets a new password by a mailed token, which ends every session and lifts the blocks of failed logins.
 * @param address of the client
 * @throws AppError 400 RESET_TOKEN_INVALID for an unknown, used or expired token; 429; 503
 */
export async function resetPassword(
  deps: Deps,
  { token, password }: wire.PasswordReset,
  address: string,
): Promise<void> {
  const hash = await deps.passwordQueue.run(clientNetwork(address), () => deps.passwords.hash(password))
  const context = mailContext(deps.config, await settingValues(deps))
  await write(deps, async (tx) => {
    const user = await takeReset(tx.db, hashToken(token))
    const changed = user && (await updatePassword(tx.db, user.id, hash, user.token_version))
    if (changed === undefined) {
      const message = 'This link is unknown, used or expired; ask for another one'
      throw new AppError(400, 'RESET_TOKEN_INVALID', message)
    }
    await deleteLoginCounters(tx.db, hashEmail(changed.email))
    const notice = passwordChangedMail(context, { at: deps.now() })
    await enqueueMail(tx.db, { recipient: changed.email, ...notice })
    tx.recordChange('user', [changed.id])
  })
}
