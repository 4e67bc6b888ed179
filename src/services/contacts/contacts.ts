import * as contacts from '../../../db/queries/contacts/contacts.ts'
import { enqueueMail } from '../../../db/queries/mail/outbox.ts'
import type { ContactRequestRow, ContactStatus } from '../../../db/tables/content.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import { emailOrNull } from '../../rules/accounts/credentials.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { contactMail } from '../../rules/mail/staff.ts'
import { searchTexts } from '../../rules/phone.ts'
import { oneLine, textOrNull } from '../../rules/text.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import { dryRun, type UnitOfWork, write } from '../../runtime/write.ts'
import * as wire from '../../schemas/contacts.ts'
import { type Page, toPage } from '../../schemas/lists.ts'
import { countSender } from '../accounts/rate-limits.ts'
import { type CsvFile, exportCsv, inOrder } from '../exports.ts'
import { mailContext } from '../mail/mail.ts'
import { requireConsent, storeConsent } from '../privacy/consents.ts'
import { settingValues } from '../settings/settings.ts'

/**
 * Stores a request from the public form together with a mail to staff (docs/content.md). Bots, which fill the
 * hidden field `website`, get the same answer, but nothing is stored.
 * @param address of the client
 * @throws AppError 400 without a required consent; 429 at a limit
 */
export async function createContact(
  deps: Deps,
  input: wire.NewContactRequest,
  address: string,
): Promise<wire.ContactRequest> {
  const contact = toValues(input)
  const settings = await settingValues(deps)
  requireConsent(settings, input.consent)
  if (input.website?.trim()) return toContact(await dryRun(deps, ({ db }) => contacts.insertContact(db, contact)))
  const row = await write(deps, async (tx) => {
    await countSender(tx.db, settings, 'contact', { phone: contact.phone, address })
    const inserted = await contacts.insertContact(tx.db, contact)
    const { email, phone } = inserted
    await storeConsent(tx.db, settings, { consent: input.consent, kind: 'CONTACT', email, phone, address })
    const recipient = settings.notification_email
    const mail = contactMail(mailContext(deps.config, settings), inserted)
    if (recipient !== '') await enqueueMail(tx.db, { recipient, ...mail, contact_id: inserted.id })
    tx.recordChange('contactCreated', [inserted.id], () => toContact(inserted))
    return inserted
  })
  return toContact(row)
}

/** Lists contact requests. */
export async function listContacts({ db }: Deps, query: wire.ContactQuery): Promise<Page<wire.ContactRequest>> {
  const { filter, sort } = readContactQuery(query)
  return toPage(await contacts.listContacts(db, filter, sort, query), query, toContact)
}

/** Exports the requests of the list as CSV. @throws AppError 400 */
export function exportContacts(deps: Deps, { delimiter, ...query }: wire.ContactExportQuery): Promise<CsvFile> {
  const { filter, sort } = readContactQuery(query)
  const source = {
    name: 'contacts',
    header: Object.keys(wire.SentContactRequest.properties),
    listIds: () => contacts.listContactIds(deps.db, filter, sort),
    async readLines(ids: number[]) {
      const rows = inOrder(ids, await contacts.findContacts(deps.db, ids))
      return rows.map((row) => {
        const { version: _, ...exported } = toContact(row)
        return Object.values(exported)
      })
    },
  }
  return exportCsv(deps, source, delimiter)
}

function readContactQuery(query: Omit<wire.ContactQuery, 'page' | 'size'>) {
  const filter = { statuses: query.status, searchTexts: searchTexts(query.search ?? '') }
  return { filter, sort: query.sort ?? { field: 'createdAt', descending: true } }
}

/** @throws AppError 404 */
export async function getContact({ db }: Deps, id: number): Promise<wire.ContactRequest> {
  return toContact(found(await contacts.findContact(db, id), 'contact request'))
}

/** Sets the status or the notes; blank notes are removed. @throws AppError 404; 412 STALE */
export function updateContact(
  deps: Deps,
  actor: Actor,
  target: Target,
  { status, notes }: { status?: ContactStatus; notes?: string | null },
): Promise<wire.ContactRequest> {
  const values = { status, notes: textOrNull(notes) }
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    if (!hasChanges(before, values)) return toContact(before)
    const after = toContact(await contacts.updateContact(tx.db, before.id, values))
    tx.recordChange('contact', [before.id])
    tx.audit({ actor, entity: 'CONTACT', entityId: before.id, before: toContact(before), after })
    return after
  })
}

/** @throws AppError 404; 412 STALE */
export async function deleteContact(deps: Deps, actor: Actor, target: Target): Promise<void> {
  await write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    await contacts.deleteContacts(tx.db, [before.id])
    recordDeletion(tx, actor, before)
  })
}

/** Deletes contact requests, ignoring unknown ids. */
export async function deleteContacts(deps: Deps, actor: Actor, ids: number[]): Promise<void> {
  await write(deps, async (tx) => {
    for (const deleted of await contacts.deleteContacts(tx.db, ids)) recordDeletion(tx, actor, deleted)
  })
}

async function lockCurrent(tx: UnitOfWork, { id, ifMatch }: Target): Promise<ContactRequestRow> {
  const row = found(await contacts.lockContact(tx.db, id), 'contact request')
  await refuseStale(ifMatch, row.version, () => toContact(row))
  return row
}

function recordDeletion(tx: UnitOfWork, actor: Actor, row: ContactRequestRow): void {
  tx.recordChange('contact', [row.id])
  tx.audit({ actor, entity: 'CONTACT', entityId: row.id, before: toContact(row), after: null })
}

function toValues({ name, phone, message, email }: wire.NewContactRequest) {
  return { name: oneLine(name), phone: oneLine(phone), message: message.trim(), email: emailOrNull(email) }
}

function toContact(row: ContactRequestRow): wire.ContactRequest {
  return {
    id: row.id,
    name: row.name,
    phone: row.phone,
    email: row.email,
    message: row.message,
    status: row.status,
    notes: row.notes,
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
