import type { Insertable } from 'kysely'
import type { Db, Trx } from '../../../db/database.ts'
import { violatesUnique } from '../../../db/errors.ts'
import * as users from '../../../db/queries/accounts/users.ts'
import { recordAudit } from '../../../db/queries/audit/entries.ts'
import { USER_SORT, type UserRow, type UsersTable } from '../../../db/tables/users.ts'
import { ConfigError } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { conflict, forbidden, notFound, unauthorized } from '../../errors.ts'
import { normalEmail, validEmail, validPassword } from '../../rules/accounts/credentials.ts'
import { atLeast, checkGrant, checkManagement, type Role } from '../../rules/accounts/roles.ts'
import { auditedChange } from '../../rules/audit/changes.ts'
import { readSort } from '../../rules/lists.ts'
import { type Page, toPage } from '../../schemas/common.ts'
import type { NewUser, User, UserChange, UserQuery } from '../../schemas/users.ts'

/** A user as staff and the user itself see it; never the hash. */
export function toUser(row: UserRow): User {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    phone: row.phone,
    role: row.role,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** Specification, "Users and contacts (staff)". */
export async function listUsers({ db }: Pick<Deps, 'db'>, query: UserQuery): Promise<Page<User>> {
  const filter = { role: query.role, search: query.search?.trim() || undefined }
  const sort = readSort(query.sort, USER_SORT, 'id')
  return toPage(await users.listUsers(db, filter, sort, query), query, toUser)
}

/** @throws a 409 EMAIL_TAKEN, and a 403 when the role is not the actor's to give */
export async function createUser(
  { db, passwords }: Pick<Deps, 'db' | 'passwords'>,
  caller: UserRow,
  input: NewUser,
): Promise<User> {
  const account = await newAccount(passwords, input)
  const row = await db.transaction().execute(async (trx) => {
    checkGrant(actorNow(await users.lockUsers(trx, [caller.id]), caller), input.role)
    const created = await insertAccount(trx, account)
    await audit(trx, caller, 'CREATE', created.id, null, auditedFields(created))
    return created
  })
  return toUser(row)
}

/** What is stored of a new account. @throws a 400 that names the field */
export async function newAccount(
  passwords: Deps['passwords'],
  input: NewUser,
): Promise<Insertable<UsersTable>> {
  const email = validEmail(input.email)
  return {
    name: input.name.trim(),
    email,
    phone: input.phone?.trim() || null,
    role: input.role,
    password_hash: await passwords.hash(validPassword(input.password)),
  }
}

/** @throws a 409 EMAIL_TAKEN */
export function insertAccount(db: Db, account: Insertable<UsersTable>): Promise<UserRow> {
  return withUniqueEmail(() => users.insertUser(db, account))
}

/** Changes an account; a password in it is a reset, which ends the user's tokens. */
export async function updateUser(
  { db, passwords }: Pick<Deps, 'db' | 'passwords'>,
  caller: UserRow,
  id: number,
  input: UserChange,
): Promise<User> {
  const email = validEmail(input.email)
  const hash = input.password === undefined ? null : await passwords.hash(validPassword(input.password))
  const row = await db.transaction().execute(async (trx) => {
    const before = manageable(await users.lockUsers(trx, [caller.id, id]), caller, id, input.role)
    if (hash !== null) await users.updatePassword(trx, id, hash)
    const values = { name: input.name.trim(), email, role: input.role, phone: changedPhone(input.phone) }
    const after = await withUniqueEmail(() => users.updateUser(trx, id, values))
    if (!after) throw notFound('user')
    const reset = hash === null ? {} : { passwordReset: true }
    await audit(trx, caller, 'UPDATE', id, auditedFields(before), { ...auditedFields(after), ...reset })
    return after
  })
  return toUser(row)
}

/** Deletes an account; its orders stay (contract section 3). */
export async function deleteUser({ db }: Pick<Deps, 'db'>, caller: UserRow, id: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const before = manageable(await users.lockUsers(trx, [caller.id, id]), caller, id, null)
    await users.deleteUser(trx, id)
    await audit(trx, caller, 'DELETE', id, auditedFields(before), null)
  })
}

/**
 * Actor and target are judged as they are now, locked: of two who demote or delete each other at once, the second
 * finds that it no longer may.
 */
function manageable(locked: UserRow[], caller: UserRow, id: number, role: Role | null): UserRow {
  const actor = actorNow(locked, caller)
  const target = locked.find((row) => row.id === id)
  if (!target) throw notFound('user')
  checkManagement(actor, target, role)
  return target
}

/** What the audit shows of a user: never the hash. */
function auditedFields({ name, email, phone, role }: UserRow) {
  return { name, email, phone, role }
}

async function audit(
  trx: Trx,
  actor: UserRow,
  action: 'CREATE' | 'UPDATE' | 'DELETE',
  id: number,
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
): Promise<void> {
  const change = auditedChange(before, after)
  if (change !== null)
    await recordAudit(trx, { actor, entity: 'USER', entityId: String(id), action, ...change })
}

/** The caller as it is by now: gone, locked out or demoted since the request began, it may do nothing. */
function actorNow(locked: UserRow[], caller: UserRow): UserRow {
  const actor = locked.find((row) => row.id === caller.id)
  if (!actor || actor.token_version !== caller.token_version) throw unauthorized()
  if (!atLeast(actor.role, 'ADMIN')) throw forbidden()
  return actor
}

/** Undefined keeps what is there; empty means none. */
export function changedPhone(phone: string | null | undefined): string | null | undefined {
  return phone === undefined ? undefined : phone?.trim() || null
}

/** The database decides who gets an address: asking first would leave a gap. */
async function withUniqueEmail<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (violatesUnique(error, users.EMAIL_CONSTRAINT)) {
      throw conflict('EMAIL_TAKEN', 'This email is already used')
    }
    throw error
  }
}

/**
 * Creates the first SUPER_ADMIN when there is none (contract section 2); instances that start together make one.
 * @returns whether it did
 * @throws ConfigError when the address is none, or belongs to somebody: nobody is raised behind their back
 */
export async function ensureFirstAdmin(
  { db, passwords }: Pick<Deps, 'db' | 'passwords'>,
  admin: { email: string; password: string },
): Promise<boolean> {
  if (await users.superAdminExists(db)) return false
  const email = normalEmail(admin.email)
  if (email === null) throw new ConfigError('ADMIN_EMAIL', 'must be an email address')
  const hash = await passwords.hash(admin.password)
  return db.transaction().execute(async (trx) => {
    await users.lockFirstAdmin(trx)
    if (await users.superAdminExists(trx)) return false
    if (await users.findUserByEmail(trx, email)) {
      throw new ConfigError('ADMIN_EMAIL', `belongs to a user who is no SUPER_ADMIN: ${email}`)
    }
    await users.insertUser(trx, { name: 'Administrator', email, role: 'SUPER_ADMIN', password_hash: hash })
    return true
  })
}
