import { oneLine } from '../text.ts'

/** Specification, "Contact request states". */
export const CONTACT_STATUSES = ['NEW', 'READ', 'IN_PROGRESS', 'CLOSED'] as const
export type ContactStatus = (typeof CONTACT_STATUSES)[number]

const MAX_NAME_IN_SUBJECT_LENGTH = 80

type Contact = { id: number; name: string; phone: string; email: string | null; message: string }

/** The mail to staff about a new contact request. Single-line fields can't forge further lines. */
export function contactMail(contact: Contact, siteName: string): { subject: string; body: string } {
  const name = oneLine(contact.name)
  const shortName = [...name].slice(0, MAX_NAME_IN_SUBJECT_LENGTH).join('')
  const lines = [
    `Новое обращение №${contact.id} на сайте «${oneLine(siteName)}».`,
    '',
    `Имя: ${name}`,
    `Телефон: ${oneLine(contact.phone)}`,
    `Почта: ${contact.email ?? 'не указана'}`,
    '',
    'Сообщение:',
    contact.message,
    '',
  ]
  return { subject: `Новое обращение №${contact.id}: ${shortName}`, body: lines.join('\n') }
}
