import { ALERTS, type AlertName } from '../operations/alerts.ts'
import { beginningOf } from '../text.ts'
import {
  emailOrHarmless,
  facts,
  formatTime,
  harmless,
  type MailContext,
  quoted,
  type RenderedMail,
  renderMail,
} from './render.ts'

const MAX_NAME_IN_SUBJECT_LENGTH = 80

/** A row of `contact_requests`; its texts are a stranger's. */
type MailedContact = { id: number; name: string; phone: string; email: string | null; message: string }

/** The mail to staff about a new contact request. */
export function contactMail(context: MailContext, contact: MailedContact): RenderedMail {
  const texts = {
    ru: {
      title: `Новое обращение № ${contact.id}`,
      name: 'Имя',
      phone: 'Телефон',
      email: 'Email',
      message: 'Сообщение:',
    },
    en: { title: `New message ${contact.id}`, name: 'Name', phone: 'Phone', email: 'Email', message: 'Message:' },
  }[context.language]
  const name = harmless(contact.name)
  const sender = facts(
    [texts.name, name],
    [texts.phone, harmless(contact.phone)],
    [texts.email, contact.email && emailOrHarmless(contact.email)],
  )
  const subject = `${texts.title}: ${beginningOf(name, MAX_NAME_IN_SUBJECT_LENGTH)}`
  const blocks = [texts.title, sender, texts.message, quoted(contact.message)]
  return renderMail({ subject, blocks }, context)
}

/** The mail that shows an ADMIN that mails arrive. */
export function testMail(context: MailContext): RenderedMail {
  const { siteName } = context
  const texts = {
    ru: {
      subject: `${siteName}: проверка почты`,
      sentence: `Это проверочное письмо магазина «${siteName}». Раз оно пришло, почта настроена верно.`,
    },
    en: {
      subject: `${siteName}: test mail`,
      sentence: `This is a test mail of ${siteName}. As it has arrived, mail is set up correctly.`,
    },
  }[context.language]
  return renderMail({ subject: texts.subject, blocks: [texts.sentence] }, context)
}

const LABELS = {
  ru: {
    begins: 'внимание',
    isOver: 'прошло',
    over: 'Этого больше нет.',
    began: 'Началось',
    ended: 'Закончилось',
    details: 'Подробности',
    whatToDo: 'Что делать',
  },
  en: {
    begins: 'attention',
    isOver: 'over',
    over: 'This is no longer so.',
    began: 'Began',
    ended: 'Ended',
    details: 'Details',
    whatToDo: 'What to do',
  },
}

/** `details` may quote what other servers answered. */
type MailedAlert = { name: AlertName; details: string; began_at: Date; ended_at: Date | null }

/** The mail to operators when an alert begins, and when it is over. */
export function alertMail(context: MailContext, alert: MailedAlert): RenderedMail {
  const { name, details, began_at, ended_at } = alert
  const { language, siteName } = context
  const summary = ALERTS[name][language]
  const labels = LABELS[language]
  const isOver = ended_at !== null
  const described = facts(
    [labels.began, formatTime(began_at, context)],
    [labels.ended, ended_at && formatTime(ended_at, context)],
    [labels.details, harmless(details)],
    [labels.whatToDo, isOver ? null : `docs/alerts.md, ${name}`],
  )
  const subject = `${siteName}: ${isOver ? labels.isOver : labels.begins} — ${summary} (${name})`
  const over = isOver ? [labels.over] : []
  return renderMail({ subject, blocks: [`${siteName}: ${summary}.`, ...over, described] }, context)
}
