import type { Trx } from '../database.ts'

export type Mail = { recipient: string; subject: string; body: string }

/** Puts a mail into the outbox; it goes out if the transaction commits, and only then. */
export async function enqueueMail(trx: Trx, mail: Mail): Promise<void> {
  await trx.insertInto('mails').values(mail).execute()
}
