import { beginningOf } from '../text.ts'
import type { MailContext } from './language.ts'
import { type RenderedMail, renderMail } from './render.ts'
import { emailOrHarmless, harmless, harmlessLines } from './strangers.ts'

const MAX_NAME_IN_SUBJECT_LENGTH = 80

/** A row of `contact_requests`; its texts are a stranger's. */
type MailedContact = { id: number; name: string; phone: string; email: string | null; message: string }

/** The mail to staff about a new contact request. */
export function contactMail(context: MailContext, contact: MailedContact): RenderedMail {
  const { siteName } = context
  const texts = {
    ru: {
      title: `Новое обращение № ${contact.id}`,
      where: `Новое обращение № ${contact.id} на сайте «${siteName}».`,
      facts: ['Имя', 'Телефон', 'Почта'],
      noEmail: 'не указана',
      message: 'Сообщение:',
    },
    en: {
      title: `New message ${contact.id}`,
      where: `New message ${contact.id} at ${siteName}.`,
      facts: ['Name', 'Phone', 'Email'],
      noEmail: 'not given',
      message: 'Message:',
    },
  }[context.language]
  const name = harmless(contact.name)
  const [nameLabel = '', phoneLabel = '', emailLabel = ''] = texts.facts
  const email = contact.email === null ? texts.noEmail : emailOrHarmless(contact.email)
  const facts: [string, string][] = [
    [nameLabel, name],
    [phoneLabel, harmless(contact.phone)],
    [emailLabel, email],
  ]
  return renderMail(
    {
      subject: `${texts.title}: ${beginningOf(name, MAX_NAME_IN_SUBJECT_LENGTH)}`,
      blocks: [texts.where, { facts }, texts.message, { quote: harmlessLines(contact.message) }],
    },
    context,
  )
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
