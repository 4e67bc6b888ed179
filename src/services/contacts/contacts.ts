import * as contacts from '../../../db/queries/contacts/contacts.ts'
import { enqueueMail } from '../../../db/queries/mail/outbox.ts'
import { CONTACT_SORT, type ContactRequestRow } from '../../../db/tables/contact-requests.ts'
import type { Deps } from '../../deps.ts'
import { checkAll, notFound } from '../../errors.ts'
import { validEmail } from '../../rules/accounts/credentials.ts'
import { type ContactStatus, contactMail } from '../../rules/contacts/requests.ts'
import { readIdList, readSort } from '../../rules/lists.ts'
import { validPhone } from '../../rules/phone.ts'
import { write } from '../../runtime/write.ts'
import { type Page, toPage } from '../../schemas/common.ts'
import type { ContactQuery, ContactRequest, NewContactRequest } from '../../schemas/contacts.ts'
import { countSender, refuseBeyondLimits, senderLimits } from '../accounts/sender-limits.ts'
import { settingValues } from '../settings/settings.ts'

type WriteDeps = Pick<Deps, 'db' | 'changes'>
type NewContact = { name: string; phone: string; email: string | null; message: string }

function toContact(row: Omit<ContactRequestRow, 'search_text'>): ContactRequest {
  return {
    id: row.id,
    name: row.name,
    phone: row.phone,
    email: row.email,
    message: row.message,
    status: row.status,
    notes: row.notes,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/**
 * Takes a request from the public form (contract section 6) and, with it, the mail that tells staff of it. What fills
 * the hidden field `website` gets the same answer and leaves no trace.
 * @param address of the client
 * @throws a 429 once a limit is reached, a 400 that names the field
 */
export async function createContact(
  deps: Pick<Deps, 'db' | 'changes' | 'cached' | 'now'>,
  input: NewContactRequest,
  address: string,
): Promise<ContactRequest> {
  const contact = validContact(input)
  if (input.website?.trim()) return pretendedContact(deps, contact)
  const settings = await settingValues(deps)
  const limits = senderLimits(settings, 'contact', { phone: contact.phone, address })
  await refuseBeyondLimits(deps.db, limits)
  const row = await write(deps, async (tx) => {
    await countSender(tx.db, limits)
    const inserted = await contacts.insertContact(tx.db, contact)
    const recipient = settings.notification_email
    if (recipient !== '')
      await enqueueMail(tx.db, { recipient, ...contactMail(inserted, settings.site_name) })
    tx.recordChange('contact', [inserted.id])
    return inserted
  })
  return toContact(row)
}

function validContact({ name, phone, email, message }: NewContactRequest): NewContact {
  const checked = checkAll({
    phone: () => validPhone(phone),
    email: () => (email?.trim() ? validEmail(email) : null),
  })
  return { name: name.trim(), ...checked, message: message.trim() }
}

/** What the answer would be if the request were stored. */
async function pretendedContact(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  contact: NewContact,
): Promise<ContactRequest> {
  const at = now()
  const id = await contacts.nextContactId(db)
  return toContact({ ...contact, id, status: 'NEW', notes: null, created_at: at, updated_at: at })
}

/** Specification, "Users and contacts (staff)"; the newest first unless told otherwise. */
export async function listContacts(
  { db }: Pick<Deps, 'db'>,
  query: ContactQuery,
): Promise<Page<ContactRequest>> {
  const filter = { status: query.status, search: query.search?.trim() || undefined }
  const sort = readSort(query.sort, CONTACT_SORT, 'createdAt,desc')
  return toPage(await contacts.listContacts(db, filter, sort, query), query, toContact)
}

export async function getContact({ db }: Pick<Deps, 'db'>, id: number): Promise<ContactRequest> {
  return found(await contacts.findContact(db, id))
}

/** Any status may follow any other. */
export async function setContactStatus(
  deps: WriteDeps,
  id: number,
  status: ContactStatus,
): Promise<ContactRequest> {
  return change(deps, id, { status })
}

/** @param notes empty or null clears them */
export async function setContactNotes(
  deps: WriteDeps,
  id: number,
  notes: string | null,
): Promise<ContactRequest> {
  return change(deps, id, { notes: notes?.trim() || null })
}

export async function deleteContact(deps: WriteDeps, id: number): Promise<void> {
  if ((await remove(deps, [id])) === 0) throw notFound('contact request')
}

/** Deletes several. Those that are gone already don't matter. @param ids as `1,2,3`, at most 1000 */
export async function deleteContacts(deps: WriteDeps, ids: string): Promise<void> {
  await remove(deps, readIdList(ids))
}

function change(
  deps: WriteDeps,
  id: number,
  values: Parameters<typeof contacts.updateContact>[2],
): Promise<ContactRequest> {
  return write(deps, async (tx) => {
    tx.recordChange('contact', [id])
    return found(await contacts.updateContact(tx.db, id, values))
  })
}

/** @returns how many of them there were */
function remove(deps: WriteDeps, ids: number[]): Promise<number> {
  return write(deps, async (tx) => {
    tx.recordChange('contact', ids)
    return contacts.deleteContacts(tx.db, ids)
  })
}

function found(row: ContactRequestRow | undefined): ContactRequest {
  if (row === undefined) throw notFound('contact request')
  return toContact(row)
}
