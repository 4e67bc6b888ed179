import type { Insertable } from 'kysely'
import type { Trx } from '../../../db/database.ts'
import { violates } from '../../../db/errors.ts'
import { lockWork } from '../../../db/locks.ts'
import * as rows from '../../../db/queries/accounts/users.ts'
import type { Caller, UserRow, UserTables } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { conflict, forbidden, found, StartError, unauthorized } from '../../errors.ts'
import { validEmail } from '../../rules/accounts/credentials.ts'
import { type Actor, atLeast, checkGrant, checkManagement, type Role } from '../../rules/accounts/roles.ts'
import { searchTexts } from '../../rules/phone.ts'
import { oneLine, textOrNull } from '../../rules/text.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { type Page, toPage } from '../../schemas/lists.ts'
import type * as wire from '../../schemas/users.ts'

/** Lists users. */
export async function listUsers({ db }: Deps, query: wire.UserQuery): Promise<Page<wire.User>> {
  const filter = { role: query.role, searchTexts: searchTexts(query.search ?? '') }
  const sort = query.sort ?? { field: 'id', descending: false }
  return toPage(await rows.listUsers(db, filter, sort, query), query, toUser)
}

/** @throws AppError 404 */
export async function getUser({ db }: Deps, id: number): Promise<wire.User> {
  return toUser(found(await rows.findUser(db, id), 'user'))
}

/** Creates an account. @throws AppError 400; 403 when the caller may not grant the role; 409 EMAIL_TAKEN */
export async function createUser(deps: Deps, caller: Caller, input: wire.NewUser): Promise<wire.User> {
  const account = await newAccount(deps.passwords, input)
  return write(deps, async (tx) => {
    const locked = await rows.lockUsers(tx.db, caller.id === null ? [] : [caller.id])
    checkGrant(currentActor(locked, caller), input.role)
    const created = await insertAccount(tx, account)
    tx.audit({ actor: caller, entity: 'USER', entityId: created.id, before: null, after: toAudited(created) })
    return toUser(created)
  })
}

/** Validates a new account and hashes its password. @throws AppError 400 */
export async function newAccount(
  passwords: Deps['passwords'],
  input: wire.NewUser,
): Promise<Insertable<UserTables['users']>> {
  return { ...toValues(input), password_hash: await passwords.hash(input.password) }
}

/** @throws AppError 409 EMAIL_TAKEN */
export async function insertAccount(tx: UnitOfWork, account: Insertable<UserTables['users']>): Promise<UserRow> {
  const row = await rows.insertUser(tx.db, account).catch(explain)
  tx.recordChange('user', [row.id])
  return row
}

/**
 * Updates an account. A new password revokes all tokens of the user.
 * @throws AppError 400; 403; 404; 409 EMAIL_TAKEN, OWN_ACCOUNT; 412 STALE
 */
export async function updateUser(
  deps: Deps,
  caller: Caller,
  target: Target,
  input: wire.UserChange,
): Promise<wire.User> {
  const { id } = target
  const values = toValues(input)
  const hash = input.password === undefined ? null : await deps.passwords.hash(input.password)
  return write(deps, async (tx) => {
    const before = await lockTarget(tx.db, caller, target, input.role)
    if (hash === null && !hasChanges(before, values)) return toUser(before)
    const reset = hash !== null && { password_hash: hash, token_version: before.token_version + 1 }
    const after = await rows.updateUser(tx.db, id, { ...values, ...reset }).catch(explain)
    tx.recordChange('user', [id])
    const audited = { ...toAudited(after), ...(reset && { passwordReset: true }) }
    tx.audit({ actor: caller, entity: 'USER', entityId: id, before: toAudited(before), after: audited })
    return toUser(after)
  })
}

/** Deletes an account but not its orders (docs/accounts.md). @throws AppError 403; 404; 409 OWN_ACCOUNT; 412 STALE */
export async function deleteUser(deps: Deps, caller: Caller, target: Target): Promise<void> {
  const { id } = target
  await write(deps, async (tx) => {
    const before = await lockTarget(tx.db, caller, target, null)
    await rows.deleteUser(tx.db, id)
    tx.recordChange('user', [id])
    tx.audit({ actor: caller, entity: 'USER', entityId: id, before: toAudited(before), after: null })
  })
}

/**
 * Locks the caller and the user it changes, so that two admins can't demote or delete each other at the same time.
 * @param role that the user gets; null when it is deleted; by default it keeps its own
 * @throws AppError 403; 404; 409 OWN_ACCOUNT; 412 STALE
 */
export async function lockTarget(
  trx: Trx,
  caller: Caller,
  { id, ifMatch }: Target,
  role?: Role | null,
): Promise<UserRow> {
  const locked = await rows.lockUsers(trx, [caller.id ?? id, id])
  const actor = currentActor(locked, caller)
  const row = locked.find((user) => user.id === id)
  const user = found(row, 'user')
  checkManagement(actor, user, role === undefined ? user.role : role)
  await refuseStale(ifMatch, user.version, () => toUser(user))
  return user
}

/** The caller as of now: it may have been deleted, logged out or demoted since the request was authenticated. */
function currentActor(locked: UserRow[], caller: Caller): Actor {
  if (caller.id === null) return caller
  const actor = locked.find((user) => user.id === caller.id)
  if (actor?.token_version !== caller.token_version) throw unauthorized()
  if (!atLeast(actor.role, 'ADMIN')) throw forbidden()
  return actor
}

/**
 * Creates the first SUPER_ADMIN unless there is one (docs/accounts.md), also with several instances starting.
 * @param login its email in lower case
 * @returns whether it was created
 * @throws StartError when the email belongs to another user, who must not be promoted silently
 */
export async function ensureFirstAdmin(deps: Deps, login: { email: string; password: string }): Promise<boolean> {
  const { email, password } = login
  const hash = await deps.passwords.hash(password)
  return write(deps, async (tx) => {
    await lockWork(tx.db, 'firstAdmin')
    if (await rows.superAdminExists(tx.db)) return false
    if (await rows.findUserByEmail(tx.db, email)) {
      throw new StartError(`ADMIN_EMAIL belongs to a user who is not a SUPER_ADMIN: ${email}`)
    }
    await insertAccount(tx, { name: 'Administrator', email, role: 'SUPER_ADMIN', password_hash: hash })
    return true
  })
}

function explain(error: unknown): never {
  throw violates(error, 'users_email_key') ? conflict('EMAIL_TAKEN', 'This email is already used') : error
}

/** The columns that an input sets besides the password; an undefined one keeps its value. @throws AppError 400 */
function toValues(input: Omit<wire.UserChange, 'password'>) {
  return {
    name: oneLine(input.name),
    email: validEmail(input.email),
    phone: textOrNull(input.phone),
    role: input.role,
  }
}

/** A user as JSON, without the password hash. */
export function toUser(row: UserRow): wire.User {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    phone: row.phone,
    role: row.role,
    totp: row.totp_enabled,
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** What the audit log shows. */
function toAudited({ name, email, phone, role }: UserRow) {
  return { name, email, phone, role }
}
