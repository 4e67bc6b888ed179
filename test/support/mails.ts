import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { deliverDueMails } from '../../src/services/mail/mail.ts'
import type { TestShop } from './shop.ts'
import { readMail } from './smtp.ts'

type SentMail = { to: string; subject: string; body: string; html: string; headers: Map<string, string> }

/** Delivers the due mails of a shop without SMTP_URL. @returns those sent since the last call, in order */
export async function sentMails({ deps }: TestShop): Promise<SentMail[]> {
  await deliverDueMails(deps)
  const folder = join(deps.config.dataDir, 'mail')
  const names = (await readdir(folder).catch(() => [])).sort()
  return Promise.all(
    names.map(async (name) => {
      const source = await readFile(join(folder, name), 'utf8')
      await rm(join(folder, name))
      const mail = await readMail(source)
      return { ...mail, to: mail.headers.get('to') ?? '', subject: mail.headers.get('subject') ?? '' }
    }),
  )
}
