import type { Insertable } from 'kysely'
import type { Trx } from '../../../db/database.ts'
import { lockWork } from '../../../db/locks.ts'
import * as users from '../../../db/queries/accounts/users.ts'
import { findRecord, insertRecord, updateRecord } from '../../../db/queries/records.ts'
import { type Caller, USER_SORT, type UserRow, type UserTables } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { forbidden, found, invalid, StartError, unauthorized } from '../../errors.ts'
import { validEmail } from '../../rules/accounts/credentials.ts'
import { type Actor, atLeast, checkGrant, checkManagement, type Role } from '../../rules/accounts/roles.ts'
import { readSort } from '../../rules/lists.ts'
import { searchTexts } from '../../rules/phone.ts'
import type { Target } from '../../rules/versions.ts'
import { hashToken, newApiKey } from '../../runtime/secrets.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { ProfileChange } from '../../schemas/auth.ts'
import { type Page, toPage } from '../../schemas/lists.ts'
import * as wire from '../../schemas/users.ts'
import { explainViolations, type RecordKind, recordEdit, recordUseCases } from '../records.ts'
import { toColumns, toWire } from '../wire.ts'

const USERS = {
  change: 'user',
  entity: 'USER',
  audited: ({ name, email, phone, role }: UserRow) => ({ name, email, phone, role }),
} as const
const CONSTRAINTS = { conflicts: { users_email_key: ['EMAIL_TAKEN', 'This email is already used'] } } as const

/** A user as JSON, without the password hash. */
export const toUser = (row: UserRow): wire.User => toWire(wire.User, row)

/** Lists users (specification, "Users and contacts (staff)"). */
export async function listUsers({ db }: Deps, query: wire.UserQuery): Promise<Page<wire.User>> {
  const filter = { role: query.role, searchTexts: searchTexts(query.search ?? '') }
  const sort = readSort(query.sort, USER_SORT, 'id')
  return toPage(await users.listUsers(db, filter, sort, query), query, toUser)
}

/** @throws AppError 404 */
export async function getUser({ db }: Deps, id: number): Promise<wire.User> {
  return toUser(found(await findRecord(db, 'users', id), 'user'))
}

/** Creates an account. @throws AppError 400; 403 when the caller may not grant the role; 409 EMAIL_TAKEN */
export async function createUser(deps: Deps, caller: Caller, input: wire.NewUser): Promise<wire.User> {
  const account = await newAccount(deps.passwords, input)
  const row = await write(deps, async (tx) => {
    const locked = await users.lockUsers(tx.db, caller.id === null ? [] : [caller.id])
    checkGrant(currentActor(locked, caller), input.role)
    const created = await insertAccount(tx, account)
    recordEdit(tx, USERS, caller, null, created)
    return created
  })
  return toUser(row)
}

/** Validates a new account and hashes its password. @throws AppError 400 */
export async function newAccount(
  passwords: Deps['passwords'],
  input: wire.NewUser,
): Promise<Insertable<UserTables['users']>> {
  return {
    ...toColumns(ProfileChange, input),
    email: validEmail(input.email),
    role: input.role,
    password_hash: await passwords.hash(input.password),
  }
}

/** @throws AppError 409 EMAIL_TAKEN */
export async function insertAccount(tx: UnitOfWork, account: Insertable<UserTables['users']>): Promise<UserRow> {
  const row = await explainViolations(insertRecord(tx.db, 'users', account), CONSTRAINTS)
  tx.recordChange('user', [row.id])
  return row
}

/**
 * Updates an account. A new password revokes all tokens of the user.
 * @throws AppError 400; 403; 404; 409 EMAIL_TAKEN, OWN_ACCOUNT
 */
export async function updateUser(
  deps: Deps,
  caller: Caller,
  { id }: Target,
  input: wire.UserChange,
): Promise<wire.User> {
  const email = validEmail(input.email)
  const hash = input.password === undefined ? null : await deps.passwords.hash(input.password)
  const row = await write(deps, async (tx) => {
    const before = await lockTarget(tx.db, caller, id, input.role)
    const reset = hash !== null && { password_hash: hash, token_version: before.token_version + 1 }
    const values = { ...toColumns(ProfileChange, input), email, role: input.role, ...reset }
    const after = await explainViolations(updateRecord(tx.db, 'users', id, values), CONSTRAINTS)
    const audited = (row: UserRow) => ({
      ...USERS.audited(row),
      ...(reset && row === after && { passwordReset: true }),
    })
    recordEdit(tx, { ...USERS, audited }, caller, before, after)
    return after
  })
  return toUser(row)
}

/** Deletes an account but not its orders (contract section 3). @throws AppError 403; 404; 409 OWN_ACCOUNT */
export async function deleteUser(deps: Deps, caller: Caller, { id }: Target): Promise<void> {
  await write(deps, async (tx) => {
    const before = await lockTarget(tx.db, caller, id, null)
    await users.deleteUser(tx.db, id)
    recordEdit(tx, USERS, caller, before, null)
  })
}

/**
 * Locks the caller and the user it changes, so that two admins can't demote or delete each other at the same time.
 * @param role that the user gets; null when it is deleted
 * @throws AppError 403; 404; 409 OWN_ACCOUNT
 */
async function lockTarget(trx: Trx, caller: Caller, id: number, role: Role | null): Promise<UserRow> {
  const locked = await users.lockUsers(trx, [caller.id ?? id, id])
  const actor = currentActor(locked, caller)
  const row = locked.find((user) => user.id === id)
  const target = found(row, 'user')
  checkManagement(actor, target, role)
  return target
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
 * Creates the first SUPER_ADMIN unless there is one (contract section 2), also with several instances starting.
 * @param login its email in lower case
 * @returns whether it was created
 * @throws StartError when the email belongs to another user, who must not be promoted silently
 */
export async function ensureFirstAdmin(deps: Deps, login: { email: string; password: string }): Promise<boolean> {
  const { email, password } = login
  const hash = await deps.passwords.hash(password)
  return write(deps, async (tx) => {
    await lockWork(tx.db, 'firstAdmin')
    if (await users.superAdminExists(tx.db)) return false
    if (await users.findUserByEmail(tx.db, email)) {
      throw new StartError(`ADMIN_EMAIL belongs to a user who is not a SUPER_ADMIN: ${email}`)
    }
    await insertAccount(tx, { name: 'Administrator', email, role: 'SUPER_ADMIN', password_hash: hash })
    return true
  })
}

/** Of a key's secret only a hash is stored. */
const API_KEYS: RecordKind<'api_keys', wire.ApiKey, wire.NewApiKey & { key: string; createdBy: string }> = {
  table: 'api_keys',
  name: 'API key',
  entity: 'API_KEY',
  change: 'apiKey',
  toWire: (row) => toWire(wire.ApiKey, row),
  toValues: ({ name, role, expiresAt, key, createdBy }) => ({
    name: name.trim(),
    role,
    expires_at: expiresAt == null ? null : new Date(expiresAt),
    key_hash: hashToken(key),
    created_by: createdBy,
  }),
  conflicts: { api_keys_name: ['NAME_TAKEN', 'There is already an API key with this name'] },
}
const apiKeys = recordUseCases(API_KEYS)
export const { list: listApiKeys, delete: deleteApiKey } = apiKeys

/** Checks the expiry if it is given: a key that never works helps nobody. @throws AppError 400 */
export function checkApiKey({ expiresAt }: Partial<wire.NewApiKey>, now: Date): void {
  if (expiresAt != null && new Date(expiresAt) <= now)
    throw invalid({ path: 'expiresAt', message: 'must be in the future' })
}

/** Creates a key and returns its secret. @throws AppError 400; 409 NAME_TAKEN */
export async function createApiKey(deps: Deps, actor: Actor, input: wire.NewApiKey): Promise<wire.CreatedApiKey> {
  checkApiKey(input, deps.now())
  const key = newApiKey()
  return { ...(await apiKeys.create(deps, actor, { ...input, key, createdBy: actor.email ?? actor.name })), key }
}
