import { randomUUID } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { validEmail } from '../../rules/accounts/credentials.ts'
import type { TestMail, TestMailResult } from '../../schemas/notifications.ts'
import { settingValues } from '../settings/settings.ts'
import { MAIL_GRACE_MS } from './outbox.ts'

/** A person waits for the answer. */
const LIMIT_MS = 15_000

/** Sends a mail at once, past the outbox, and tells what became of it (contract section 7, "Mail"). */
export async function sendTestMail(
  deps: Pick<Deps, 'db' | 'cached' | 'mailer' | 'now' | 'tasks'>,
  { to }: TestMail,
): Promise<TestMailResult> {
  const recipient = validEmail(to, 'to')
  const { site_name: siteName } = await settingValues(deps)
  const mail = {
    recipient,
    subject: `${siteName}: проверка почты`,
    body: `Это проверочное письмо магазина «${siteName}». Раз оно пришло, почта настроена верно.\n`,
    date: deps.now(),
    key: randomUUID(),
  }
  const send = (signal: AbortSignal) => deps.mailer.send(mail, { signal, limitMs: LIMIT_MS })
  const { delivered, message } = await deps.tasks.run(send, MAIL_GRACE_MS)
  return { delivered, message }
}
