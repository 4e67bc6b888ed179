import * as contacts from '../../../db/queries/contacts/contacts.ts'
import { enqueueMail } from '../../../db/queries/mail/outbox.ts'
import { findRecord, findRecords, insertRecord } from '../../../db/queries/records.ts'
import { CONTACT_SORT, type ContactRequestRow } from '../../../db/tables/contact-requests.ts'
import type { Deps } from '../../deps.ts'
import { checkAll, found, notFound } from '../../errors.ts'
import { validEmail } from '../../rules/accounts/credentials.ts'
import type { ContactStatus } from '../../rules/contacts/requests.ts'
import { readIdList, readSort } from '../../rules/lists.ts'
import { contactMail } from '../../rules/mail/staff.ts'
import { validPhone } from '../../rules/phone.ts'
import { write } from '../../runtime/write.ts'
import {
  type ContactExportQuery,
  type ContactQuery,
  ContactRequest,
  type NewContactRequest,
} from '../../schemas/contacts.ts'
import { type Page, toPage } from '../../schemas/lists.ts'
import { countSender, senderLimits } from '../accounts/rate-limits.ts'
import { type CsvFile, exportCsv, inOrder } from '../exports.ts'
import { mailContext } from '../mail/compose.ts'
import { settingValues } from '../settings/settings.ts'
import { toWire } from '../wire.ts'

/** Columns of an export. */
const CONTACT_FIELDS = [
  'id',
  'status',
  'createdAt',
  'updatedAt',
  'name',
  'phone',
  'email',
  'message',
  'notes',
] as const

type NewContact = { name: string; phone: string; email: string | null; message: string }

const toContact = (row: Omit<ContactRequestRow, 'search_text'>): ContactRequest => toWire(ContactRequest, row)

/**
 * Stores a request from the public form together with a mail to staff (contract section 6). Bots, which fill the
 * hidden field `website`, get the same answer, but nothing is stored.
 * @param address of the client
 * @throws AppError 400; 429 at a limit
 */
export async function createContact(
  deps: Deps,
  input: NewContactRequest,
  address: string,
): Promise<ContactRequest> {
  const contact = validContact(input)
  if (input.website?.trim()) return unstoredContact(deps, contact)
  const settings = await settingValues(deps)
  const limits = senderLimits(settings, 'contact', { phone: contact.phone, address })
  const row = await write(deps, async (tx) => {
    await countSender(tx.db, limits)
    const inserted = await insertRecord(tx.db, 'contact_requests', contact)
    const recipient = settings.notification_email
    const mail = contactMail(mailContext(deps.config, settings), inserted)
    if (recipient !== '') await enqueueMail(tx.db, { recipient, ...mail })
    tx.recordChange('contactCreated', [inserted.id])
    tx.recordEvent('contact.created', () => toContact(inserted))
    return inserted
  })
  return toContact(row)
}

/** Checks the fields that are given. @throws AppError 400 */
export function checkContact({ phone, email }: Partial<NewContactRequest>): { email: string | null } {
  const checked = checkAll({
    phone: () => phone && validPhone(phone),
    email: () => (email?.trim() ? validEmail(email) : null),
  })
  return { email: checked.email }
}

function validContact(input: NewContactRequest): NewContact {
  const { email } = checkContact(input)
  return { name: input.name.trim(), phone: validPhone(input.phone), email, message: input.message.trim() }
}

/** The answer as if the request had been stored. */
async function unstoredContact({ db, now }: Deps, contact: NewContact): Promise<ContactRequest> {
  const at = now()
  const id = await contacts.nextContactId(db)
  return toContact({ ...contact, id, status: 'NEW', notes: null, created_at: at, updated_at: at })
}

/** Lists contact requests (specification, "Users and contacts (staff)"). */
export async function listContacts({ db }: Deps, query: ContactQuery): Promise<Page<ContactRequest>> {
  const { filter, sort } = readContactQuery(query)
  return toPage(await contacts.listContacts(db, filter, sort, query), query, toContact)
}

/** Exports the requests of the list as CSV. @throws AppError 400; 503 */
export function exportContacts(deps: Deps, { delimiter, ...query }: ContactExportQuery): Promise<CsvFile> {
  const { filter, sort } = readContactQuery(query)
  const source = {
    name: 'contacts',
    header: [...CONTACT_FIELDS],
    listIds: () => contacts.listContactIds(deps.db, filter, sort),
    async readLines(ids: number[]) {
      const rows = inOrder(ids, await findRecords(deps.db, 'contact_requests', ids))
      return rows.map(toContact).map((contact) => CONTACT_FIELDS.map((field) => contact[field]))
    },
  }
  return exportCsv(deps, source, delimiter)
}

function readContactQuery(query: Omit<ContactQuery, 'page' | 'size'>) {
  const filter = { status: query.status, search: query.search?.trim() || undefined }
  return { filter, sort: readSort(query.sort, CONTACT_SORT, 'createdAt,desc') }
}

/** @throws AppError 404 */
export async function getContact({ db }: Deps, id: number): Promise<ContactRequest> {
  return toContact(found(await findRecord(db, 'contact_requests', id), 'contact request'))
}

/** @throws AppError 404 */
export function setContactStatus(deps: Deps, id: number, status: ContactStatus): Promise<ContactRequest> {
  return update(deps, id, { status })
}

/** @param notes blank or null to clear them @throws AppError 404 */
export function setContactNotes(deps: Deps, id: number, notes: string | null): Promise<ContactRequest> {
  return update(deps, id, { notes: notes?.trim() || null })
}

/** @throws AppError 404 */
export async function deleteContact(deps: Deps, id: number): Promise<void> {
  if ((await remove(deps, [id])) === 0) throw notFound('contact request')
}

/** Deletes contact requests, ignoring unknown ids. @param ids as `1,2,3`, at most 1000 @throws AppError 400 */
export async function deleteContacts(deps: Deps, ids: string): Promise<void> {
  await remove(deps, readIdList(ids))
}

function update(
  deps: Deps,
  id: number,
  values: Parameters<typeof contacts.updateContact>[2],
): Promise<ContactRequest> {
  return write(deps, async (tx) => {
    tx.recordChange('contact', [id])
    return toContact(found(await contacts.updateContact(tx.db, id, values), 'contact request'))
  })
}

/** @returns the number of deleted requests */
function remove(deps: Deps, ids: number[]): Promise<number> {
  return write(deps, async (tx) => {
    tx.recordChange('contact', ids)
    return contacts.deleteContacts(tx.db, ids)
  })
}
