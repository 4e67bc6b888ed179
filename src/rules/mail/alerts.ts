import { ALERTS, type AlertName } from '../operations/alerts.ts'
import { formatTime, type MailContext } from './language.ts'
import { type RenderedMail, renderMail } from './render.ts'
import { harmless } from './strangers.ts'

const LABELS = {
  ru: {
    begins: 'внимание',
    isOver: 'прошло',
    over: 'Этого больше нет.',
    began: 'Началось',
    ended: 'Закончилось',
    details: 'Подробности',
    lookAt: 'Где смотреть',
    whatToDo: 'Что делать',
  },
  en: {
    begins: 'attention',
    isOver: 'over',
    over: 'This is no longer so.',
    began: 'Began',
    ended: 'Ended',
    details: 'Details',
    lookAt: 'Where to look',
    whatToDo: 'What to do',
  },
}

/** `details` may quote what other servers answered. */
type MailedAlert = { name: AlertName; details: string; began_at: Date; ended_at: Date | null }

/** The mail to operators when an alert begins, and when it is over. */
export function alertMail(context: MailContext, alert: MailedAlert): RenderedMail {
  const { name, details, began_at, ended_at } = alert
  const { language, siteName } = context
  const { lookAt, [language]: words } = ALERTS[name]
  const labels = LABELS[language]
  const began: [string, string] = [labels.began, formatTime(began_at, context)]
  const what: [string, string] = [labels.details, harmless(details)]
  const facts: [string, string][] =
    ended_at === null
      ? [
          began,
          what,
          [labels.lookAt, `${lookAt}, /api/v1/admin/alerts`],
          [labels.whatToDo, `docs/alerts.md, ${name}`],
        ]
      : [began, [labels.ended, formatTime(ended_at, context)], what]
  const state = ended_at === null ? labels.begins : labels.isOver
  const subject = `${siteName}: ${state} — ${words.subject} (${name})`
  const sentence = ended_at === null ? words.meaning : labels.over
  return renderMail({ subject, blocks: [`${siteName}: ${words.subject}.`, sentence, { facts }] }, context)
}
