import { hash } from 'node:crypto'
import { superAdminRemains } from '../../../db/queries/accounts/users.ts'
import * as erasing from '../../../db/queries/privacy/erasure.ts'
import * as finding from '../../../db/queries/privacy/person.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { conflict, forbidden, invalid, unauthorized } from '../../errors.ts'
import { emailForms, normalEmail } from '../../rules/accounts/credentials.ts'
import { type Actor, isStaff } from '../../rules/accounts/roles.ts'
import { isFinished } from '../../rules/orders/states.ts'
import { phoneKey } from '../../rules/phone.ts'
import { dryRun, type UnitOfWork, write } from '../../runtime/write.ts'
import type * as wire from '../../schemas/privacy.ts'
import { hashEmail, verifyPassword } from '../accounts/rate-limits.ts'
import { freshSettings } from '../settings/settings.ts'

/**
 * Erases all that the shop has of a person but for orders that aren't finished (docs/privacy.md). A dry run does the same in a
 * transaction that is rolled back.
 * @throws AppError 400 unless there is either an email or a phone; 403 for an account of staff
 */
export async function erasePerson(deps: Deps, actor: Actor, input: wire.Erasure): Promise<wire.Erased> {
  const person = readPerson(input)
  const work = (tx: UnitOfWork) => eraseWithin(tx, actor, person)
  return input.dryRun ? dryRun(deps, work) : write(deps, work)
}

/** Checks that a person is named, and how. @throws AppError 400 */
export function checkErasure({ email, phone }: Partial<wire.Erasure>): void {
  if (email === undefined && phone === undefined) throw invalid({ path: 'email', code: 'EMPTY' })
  if (email === undefined || phone === undefined) return
  throw invalid({ path: 'phone', code: 'CONTRADICTION', params: { field: 'email' } })
}

function readPerson(input: wire.Erasure): finding.PersonKeys {
  checkErasure(input)
  const { email, phone } = input
  return { emails: email === undefined ? [] : emailForms(email), phones: phone === undefined ? [] : [phoneKey(phone)] }
}

async function eraseWithin(tx: UnitOfWork, actor: Actor, person: finding.PersonKeys): Promise<wire.Erased> {
  const users = await finding.findAccounts(tx.db, person)
  if (users.some(isStaff)) throw forbidden("An account of staff can't be erased; delete it first, or make it a USER")
  const orders = await finding.lockOrdersOf(
    tx.db,
    person,
    users.map(({ id }) => id),
  )
  const finished = orders.filter(({ status }) => isFinished(status))
  const contacts = await finding.deleteContactsOf(tx.db, person)
  const deleted = await finding.findDeleted(tx.db, keysOf(person))
  const found = { person, users, orders: finished, contacts, deleted }
  const traces = await eraseTraces(tx, found)
  await erasing.deleteCountersOf(tx.db, hashesOf(found))
  const open = orders.flatMap(({ id, status }) => (isFinished(status) ? [] : id))
  const erased = {
    orders: { erased: finished.length, open },
    contacts: contacts.length,
    ...traces,
  }
  const by = person.emails.length > 0 ? 'email' : 'phone'
  tx.audit({ actor, entity: 'PRIVACY', entityId: 'erasure', before: null, after: { by, ...erased } })
  return erased
}

type Row = { customer_email: string | null; customer_phone: string | null }
type Found = {
  /** Whatever names these is the person's. */
  person: finding.PersonKeys
  users: { id: number; email: string }[]
  /** Finished ones, locked. */
  orders: (Row & { id: number })[]
  /** Deleted ones. */
  contacts: { id: number; email: string | null; phone: string }[]
  /** Records that were deleted before. */
  deleted: { orderIds: number[]; contactIds: number[] }
}

const keysOf = ({ emails, phones }: finding.PersonKeys) => [...emails, ...phones]

/** Erases orders and accounts, and what other tables tell of them. Orders are locked before accounts, as everywhere. */
async function eraseTraces(tx: UnitOfWork, { person, users, orders, contacts, deleted }: Found) {
  const { db } = tx
  const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)
  const [erasedIds, userIds] = [idsOf(orders), idsOf(users)]
  const orderIds = [...erasedIds, ...deleted.orderIds]
  const contactIds = [...idsOf(contacts), ...deleted.contactIds]
  const keys = keysOf(person)
  const recipients = [...person.emails, ...users.map(({ email }) => email)]

  await erasing.eraseOrders(db, erasedIds)
  if (keys.length > 0) await erasing.eraseHistory(db, keys, person)
  await erasing.deleteAccounts(db, userIds)
  await erasing.eraseDeliveries(db, { orderIds, contactIds, keys, person })
  const mailIds = await erasing.deleteMailsOf(db, { orderIds, contactIds, recipients })
  const formsOf = (texts: (string | null)[]) => texts.flatMap((text) => text?.trim().toLowerCase() ?? [])
  const consents = await erasing.deleteConsentsOf(db, {
    emails: [
      ...recipients,
      ...formsOf(orders.map((row) => row.customer_email)),
      ...formsOf(contacts.map((row) => row.email)),
    ],
    phones: [...person.phones, ...phonesOf(orders, contacts)],
  })
  const audit = await erasing.eraseAudit(db, { orderIds, contactIds, userIds, mailIds, keys, person })
  tx.recordChange('order', erasedIds)
  tx.recordChange('contact', idsOf(contacts))
  tx.recordChange('user', userIds)
  return { mails: mailIds.length, users: users.length, consents, audit }
}

function phonesOf(orders: Row[], contacts: Found['contacts']): string[] {
  const phones = [...orders.map((row) => row.customer_phone), ...contacts.map((row) => row.phone)]
  return phones.flatMap((phone) => (phone === null ? [] : phoneKey(phone)))
}

/** What limits count the person by. */
function hashesOf({ person, users, orders, contacts }: Found) {
  const written = [...orders.map((row) => row.customer_email), ...contacts.map((row) => row.email)]
  const emails = [...person.emails, ...users.map(({ email }) => email), ...written.flatMap((one) => one ?? [])]
  return {
    emails: emails.flatMap((email) => [hashEmail(email), hashEmail(normalEmail(email) ?? '')]),
    phones: [...person.phones, ...phonesOf(orders, contacts)].map((phone) => hash('sha256', phone)),
  }
}

const NOBODY: finding.PersonKeys = { emails: [], phones: [] }
const NONE = { orderIds: [], contactIds: [] }

/**
 * Deletes the caller's account. Its finished orders lose their customer, others keep it. Failures count as failed logins.
 * @param address of the client
 * @throws AppError 400; 401 when the account was deleted meanwhile; 409 OWN_ACCOUNT for the last SUPER_ADMIN; 429
 */
export async function deleteOwnAccount(
  deps: Deps,
  user: UserRow,
  { password }: wire.AccountDeletion,
  address: string,
): Promise<void> {
  const attempt = { email: user.email, address, user, password }
  if (!(await verifyPassword(deps, attempt))) throw invalid({ path: 'password', code: 'WRONG_PASSWORD' })
  await write(deps, async (tx) => {
    const orders = await finding.lockOrdersOf(tx.db, NOBODY, [user.id])
    const remains = await superAdminRemains(tx.db, user)
    if (remains === undefined) throw unauthorized()
    if (!remains) throw conflict('OWN_ACCOUNT', "The last SUPER_ADMIN can't be deleted")
    const finished = orders.filter(({ status }) => isFinished(status))
    // Nobody has proved that the account's email is his: what others wrote with it stays.
    await eraseTraces(tx, { person: NOBODY, users: [user], orders: finished, contacts: [], deleted: NONE })
    if (!isStaff(user)) return
    tx.audit({ actor: user, entity: 'USER', entityId: user.id, before: { role: user.role }, after: null })
  })
}

/** Records of one transaction; limits how long their locks delay others. */
const BATCH_SIZE = 500

/** Erases the customers of old orders, and deletes old contact requests (docs/privacy.md). */
export async function eraseExpired(deps: Deps): Promise<void> {
  const { order_personal_days, contact_personal_days } = await freshSettings(deps.db)
  const [orderDays, contactDays] = [Number(order_personal_days), Number(contact_personal_days)]
  let isFull = orderDays > 0 || contactDays > 0
  while (isFull && !deps.tasks.stopping) isFull = await write(deps, (tx) => eraseBatch(tx, orderDays, contactDays))
}

/** @returns whether there may be more */
async function eraseBatch(tx: UnitOfWork, orderDays: number, contactDays: number): Promise<boolean> {
  const orders = orderDays > 0 ? await finding.lockOldOrders(tx.db, orderDays, BATCH_SIZE) : []
  const contacts = contactDays > 0 ? await finding.deleteOldContacts(tx.db, contactDays, BATCH_SIZE) : []
  if (orders.length + contacts.length === 0) return false
  await eraseTraces(tx, { person: NOBODY, users: [], orders, contacts, deleted: NONE })
  const after = { orders: orders.length, contacts: contacts.length }
  tx.audit({ actor: null, entity: 'PRIVACY', entityId: 'retention', before: null, after })
  return Math.max(orders.length, contacts.length) === BATCH_SIZE
}
