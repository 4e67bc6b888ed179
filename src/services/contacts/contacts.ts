import * as contacts from '../../../db/queries/contacts/contacts.ts'
import { enqueueMail } from '../../../db/queries/mail/outbox.ts'
import * as records from '../../../db/queries/records.ts'
import type { ContactRequestRow, ContactStatus } from '../../../db/tables/content.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { contactMail } from '../../rules/mail/staff.ts'
import { searchTexts } from '../../rules/phone.ts'
import { dryRun, write } from '../../runtime/write.ts'
import * as wire from '../../schemas/contacts.ts'
import { type Page, toPage } from '../../schemas/lists.ts'
import { countSender } from '../accounts/rate-limits.ts'
import { type CsvFile, exportCsv, inOrder } from '../exports.ts'
import { mailContext } from '../mail/mail.ts'
import { auditedFields, recordEdit } from '../records.ts'
import { settingValues } from '../settings/settings.ts'
import { toColumns, toWire } from '../wire.ts'

const toContact = (row: ContactRequestRow): wire.ContactRequest => toWire(wire.ContactRequest, row)
const CONTACTS = {
  change: 'contact',
  entity: 'CONTACT',
  audited: (row: ContactRequestRow) => auditedFields(toContact(row)),
} as const

/**
 * Stores a request from the public form together with a mail to staff (contract section 6). Bots, which fill the
 * hidden field `website`, get the same answer, but nothing is stored.
 * @param address of the client
 * @throws AppError 429 at a limit
 */
export async function createContact(
  deps: Deps,
  input: wire.NewContactRequest,
  address: string,
): Promise<wire.ContactRequest> {
  const { website, ...contact } = toColumns(wire.NewContactRequest, input)
  const settings = await settingValues(deps)
  if (website) {
    return toContact(await dryRun(deps, ({ db }) => records.insertRecord(db, 'contact_requests', contact)))
  }
  const row = await write(deps, async (tx) => {
    await countSender(tx.db, settings, 'contact', { phone: contact.phone, address })
    const inserted = await records.insertRecord(tx.db, 'contact_requests', contact)
    const recipient = settings.notification_email
    const mail = contactMail(mailContext(deps.config, settings), inserted)
    if (recipient !== '') await enqueueMail(tx.db, { recipient, ...mail })
    tx.recordChange('contactCreated', [inserted.id], () => toContact(inserted))
    return inserted
  })
  return toContact(row)
}

/** Lists contact requests (specification, "Users and contacts (staff)"). */
export async function listContacts({ db }: Deps, query: wire.ContactQuery): Promise<Page<wire.ContactRequest>> {
  const { filter, sort } = readContactQuery(query)
  return toPage(await contacts.listContacts(db, filter, sort, query), query, toContact)
}

/** Exports the requests of the list as CSV. @throws AppError 400 */
export function exportContacts(deps: Deps, { delimiter, ...query }: wire.ContactExportQuery): Promise<CsvFile> {
  const { filter, sort } = readContactQuery(query)
  const source = {
    name: 'contacts',
    header: Object.keys(wire.ContactRequest.properties),
    listIds: () => contacts.listContactIds(deps.db, filter, sort),
    async readLines(ids: number[]) {
      const rows = inOrder(ids, await records.findRecords(deps.db, 'contact_requests', ids))
      return rows.map((row) => Object.values(toContact(row)))
    },
  }
  return exportCsv(deps, source, delimiter)
}

function readContactQuery(query: Omit<wire.ContactQuery, 'page' | 'size'>) {
  const filter = { status: query.status, searchTexts: searchTexts(query.search ?? '') }
  return { filter, sort: query.sort ?? { field: 'createdAt', descending: true } }
}

/** @throws AppError 404 */
export async function getContact({ db }: Deps, id: number): Promise<wire.ContactRequest> {
  return toContact(found(await records.findRecord(db, 'contact_requests', id), 'contact request'))
}

/** Sets the status or the notes; blank notes are removed. @throws AppError 404 */
export function updateContact(
  deps: Deps,
  actor: Actor,
  id: number,
  { status, notes }: { status?: ContactStatus; notes?: string | null },
): Promise<wire.ContactRequest> {
  const values = { status, notes: notes === undefined ? undefined : notes?.trim() || null }
  return write(deps, async (tx) => {
    const before = found(await records.lockRecord(tx.db, 'contact_requests', id), 'contact request')
    const after = await records.updateRecord(tx.db, 'contact_requests', id, values)
    recordEdit(tx, CONTACTS, actor, before, after)
    return toContact(after)
  })
}

/** @throws AppError 404 */
export async function deleteContact(deps: Deps, actor: Actor, id: number): Promise<void> {
  await write(deps, async (tx) => {
    const deleted = found(await records.deleteRecord(tx.db, 'contact_requests', id), 'contact request')
    recordEdit(tx, CONTACTS, actor, deleted, null)
  })
}

/** Deletes contact requests, ignoring unknown ids. */
export async function deleteContacts(deps: Deps, actor: Actor, ids: number[]): Promise<void> {
  await write(deps, async (tx) => {
    for (const deleted of await contacts.deleteContacts(tx.db, ids)) recordEdit(tx, CONTACTS, actor, deleted, null)
  })
}
