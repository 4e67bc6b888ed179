import { randomUUID } from 'node:crypto'
import { accepted } from '../client.ts'
import { type Finding, untilFine } from '../patience.ts'
import type { World } from '../world.ts'
import { untilDoneOrStruck } from './background.ts'
import type { Flow } from './index.ts'

/** Longer than a mail's lease, and than the pauses after a first failed attempt. */
export const DELIVERY_MS = 420_000

/** A message from the contact form is mailed to staff. A mail left by a crash is sent again when its lease ends. */
export const mail: Flow = {
  name: 'mail',
  world: { jobs: true },
  async prepare(world) {
    const name = randomUUID()
    const isSent = async () => {
      const row = await world.db
        .selectFrom('mails')
        .select('status')
        .where('body', 'like', `%${name}%`)
        .executeTakeFirst()
      return row?.status === 'SENT'
    }
    let accepts = 0
    return {
      async act() {
        const body = { name, phone: '+7 900 123-45-67', message: 'Hello' }
        if (accepts === 0) accepted(await world.call('POST', '/api/v1/contacts', { token: undefined, body }), 201)
        accepts += 1
        await untilDoneOrStruck(world, isSent)
      },
      check: async () => [],
    }
  },
  end: (world) => untilFine(() => checkMails(world), DELIVERY_MS),
}

/** Every message has its mail, and every mail arrived; one sent again has the same Message-ID. */
export async function checkMails({ db, smtp }: World): Promise<Finding[]> {
  const mails = await db.selectFrom('mails').select(['id', 'body', 'status']).execute()
  const requests = await db.selectFrom('contact_requests').select('name').execute()
  const found: Finding[] = mails
    .filter(({ status }) => status !== 'SENT')
    .map(({ id, status }) => ({ kind: 'stuck', what: `mail ${id}: ${status}` }))
  for (const { name } of requests) {
    const sent = smtp.received.filter(({ body }) => body.includes(name))
    const ids = new Set(sent.map(({ headers }) => headers.get('message-id')))
    if (sent.length === 0) found.push({ kind: 'lost', what: `the mail of ${name}` })
    if (ids.size > 1) found.push({ kind: 'doubled', what: `the mail of ${name} under ${ids.size} ids` })
  }
  return found
}
