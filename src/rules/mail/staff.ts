import { ALERTS, type AlertName } from '../operations/alerts.ts'
import {
  emailOrHarmless,
  facts,
  formatTime,
  harmless,
  type MailContext,
  quoted,
  type RenderedMail,
  renderMail,
  translator,
} from './render.ts'

/** A row of `contact_requests`; its texts are a stranger's. */
type MailedContact = { id: number; name: string; phone: string; email: string | null; message: string }

/** The mail to staff about a new contact request. */
export function contactMail(context: MailContext, contact: MailedContact): RenderedMail {
  const say = translator(context)
  const title = say(`Новое обращение № ${contact.id}`, `New message ${contact.id}`)
  const name = harmless(contact.name)
  const sender = facts(
    [say('Имя', 'Name'), name],
    [say('Телефон', 'Phone'), harmless(contact.phone)],
    ['Email', contact.email && emailOrHarmless(contact.email)],
  )
  const blocks = [title, sender, say('Сообщение:', 'Message:'), quoted(contact.message)]
  return renderMail({ subject: `${title}: ${name}`, blocks }, context)
}

/** The mail that shows an ADMIN that mails arrive. */
export function testMail(context: MailContext): RenderedMail {
  const { siteName } = context
  const say = translator(context)
  const subject = `${siteName}: ${say('проверка почты', 'test mail')}`
  const sentence = say(
    `Это проверочное письмо магазина «${siteName}». Раз оно пришло, почта настроена верно.`,
    `This is a test mail of ${siteName}. As it has arrived, mail is set up correctly.`,
  )
  return renderMail({ subject, blocks: [sentence] }, context)
}

/** `details` may quote what other servers answered. */
type MailedAlert = { name: AlertName; details: string; began_at: Date; ended_at: Date | null }

/** The mail to operators when an alert begins, and when it is over. */
export function alertMail(context: MailContext, alert: MailedAlert): RenderedMail {
  const { name, details, began_at, ended_at } = alert
  const { language, siteName } = context
  const say = translator(context)
  const summary = ALERTS[name][language]
  const isOver = ended_at !== null
  const described = facts(
    [say('Началось', 'Began'), formatTime(began_at, context)],
    [say('Закончилось', 'Ended'), ended_at && formatTime(ended_at, context)],
    [say('Подробности', 'Details'), harmless(details)],
    [say('Что делать', 'What to do'), isOver ? null : `docs/alerts.md, ${name}`],
  )
  const state = isOver ? say('прошло', 'over') : say('внимание', 'attention')
  const over = isOver ? [say('Этого больше нет.', 'This is no longer so.')] : []
  const subject = `${siteName}: ${state} — ${summary} (${name})`
  return renderMail({ subject, blocks: [`${siteName}: ${summary}.`, ...over, described] }, context)
}
