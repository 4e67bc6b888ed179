import type { Trx } from '../../../db/database.ts'
import * as queries from '../../../db/queries/accounts/totp.ts'
import { lockUsers, updateUser } from '../../../db/queries/accounts/users.ts'
import { enqueueMail } from '../../../db/queries/mail/outbox.ts'
import type { Caller, UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { conflict, invalid, unauthorized } from '../../errors.ts'
import { compactCode, TOTP_CODE } from '../../rules/accounts/credentials.ts'
import { totpResetMail } from '../../rules/mail/accounts.ts'
import type { Target } from '../../rules/versions.ts'
import { hashToken, newRecoveryCode, seal, unseal } from '../../runtime/secrets.ts'
import { newTotpSecret, totpStepOf } from '../../runtime/totp.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type * as wire from '../../schemas/auth.ts'
import { mailContext } from '../mail/mail.ts'
import { settingValues } from '../settings/settings.ts'
import { verifyPassword, withinCodeLimit } from './rate-limits.ts'
import { lockTarget } from './users.ts'

const RECOVERY_CODES = 10

/**
 * Makes a secret for an authenticator app and recovery codes, which replace those that weren't confirmed. The secret is stored
 * sealed, the codes as hashes: neither is shown again.
 * @throws AppError 409 TOTP_ON
 */
export async function setUpTotp(deps: Deps, user: UserRow): Promise<wire.TotpSetup> {
  const { site_name } = await settingValues(deps)
  const { secret, uri } = await newTotpSecret(site_name, user.email)
  const recoveryCodes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
  const hashes = recoveryCodes.map((code) => hashToken(compactCode(code)))
  await write(deps, async (tx) => {
    refuseIfOn(await lockOwn(tx, user))
    await queries.storeTotpSecret(tx.db, user.id, seal(deps.config.jwtSecret, secret), hashes)
  })
  return { secret, uri, recoveryCodes }
}

/** Switches the second factor on with the first code of the app, which is used up. @throws AppError 400; 409 */
export function confirmTotp(deps: Deps, user: UserRow, { code }: wire.TotpConfirmation): Promise<UserRow> {
  return write(deps, async (tx) => {
    refuseIfOn(await lockOwn(tx, user))
    if ((await queries.findTotpSecret(tx.db, user.id)) === undefined) throw totpOff()
    if (!(await useAppCode(deps, tx.db, user, compactCode(code)))) throw wrongCode()
    tx.recordChange('user', [user.id])
    return updateUser(tx.db, user.id, { totp_enabled: true })
  })
}

/**
 * Switches the second factor off. Failures count as failed logins.
 * @param address of the client
 * @throws AppError 400; 409 TOTP_OFF; 429
 */
export async function switchTotpOff(
  deps: Deps,
  user: UserRow,
  input: wire.TotpRemoval,
  address: string,
): Promise<void> {
  if (!user.totp_enabled) throw totpOff()
  const { email } = user
  let isRightPassword = false
  const isRight = await verifyPassword(deps, { email, address, user, password: input.password }, () => {
    isRightPassword = true
    return withinCodeLimit(deps, email, () =>
      write(deps, async (tx) => {
        const current = await lockOwn(tx, user)
        if (!current.totp_enabled) throw totpOff()
        if (!(await useCode(deps, tx.db, user, compactCode(input.code)))) return false
        await removeTotp(tx, user.id)
        return true
      }),
    )
  })
  if (!isRight) throw isRightPassword ? wrongCode() : invalid({ path: 'password', code: 'WRONG_PASSWORD' })
}

/**
 * Switches off the second factor of somebody who lost it, ends the sessions and mails a notice to the owner.
 * @throws AppError 403; 404; 409 OWN_ACCOUNT, TOTP_OFF; 412 STALE
 */
export async function resetTotp(deps: Deps, caller: Caller, target: Target): Promise<void> {
  const context = mailContext(deps.config, await settingValues(deps))
  await write(deps, async (tx) => {
    const user = await lockTarget(tx.db, caller, target)
    if (user.id === caller.id) throw conflict('OWN_ACCOUNT', 'Switch off your own with your password and a code')
    if (!user.totp_enabled) throw totpOff()
    await removeTotp(tx, user.id, user.token_version + 1)
    await enqueueMail(tx.db, { recipient: user.email, ...totpResetMail(context, { at: deps.now() }) })
    tx.audit({ actor: caller, entity: 'USER', entityId: user.id, before: { totp: true }, after: { totp: false } })
  })
}

/** Uses up a code of the app or a recovery code. @param code compact @returns false if it is wrong or used */
export function useCode(deps: Deps, trx: Trx, user: UserRow, code: string): Promise<boolean> {
  return TOTP_CODE.test(code)
    ? useAppCode(deps, trx, user, code)
    : queries.useRecoveryCode(trx, user.id, hashToken(code))
}

async function useAppCode({ config, log, now }: Deps, trx: Trx, { id }: UserRow, code: string): Promise<boolean> {
  const sealed = await queries.findTotpSecret(trx, id)
  if (!TOTP_CODE.test(code) || sealed === undefined) return false
  const secret = unseal(config.jwtSecret, sealed)
  if (secret === null) {
    log.warn({ user: id }, 'TOTP secret was sealed with another JWT_SECRET')
    return false
  }
  const step = await totpStepOf(secret, code, now())
  return step !== null && (await queries.useTotpStep(trx, id, step))
}

/** Deletes the secret and the recovery codes of an account. @param tokenVersion a new one ends the sessions */
async function removeTotp(tx: UnitOfWork, id: number, tokenVersion?: number): Promise<void> {
  await queries.deleteTotpSecret(tx.db, id)
  await updateUser(tx.db, id, { totp_enabled: false, token_version: tokenVersion })
  tx.recordChange('user', [id])
}

/** The account as of now: its session may have ended since the request was authenticated. */
async function lockOwn(tx: UnitOfWork, { id, token_version }: UserRow): Promise<UserRow> {
  const [user] = await lockUsers(tx.db, [id])
  if (user?.token_version !== token_version) throw unauthorized()
  return user
}

function refuseIfOn({ totp_enabled }: UserRow): void {
  if (totp_enabled) throw conflict('TOTP_ON', 'Two-factor login is on; switch it off first')
}

function totpOff() {
  return conflict('TOTP_OFF', 'Two-factor login is off; set it up first')
}

function wrongCode() {
  return invalid({ path: 'code', code: 'WRONG_CODE' })
}
