import { randomUUID } from 'node:crypto'
import { messageIdOf } from '../../../src/rules/webhooks.ts'
import { accepted } from '../client.ts'
import { type Finding, untilFine } from '../patience.ts'
import type { World } from '../world.ts'
import { untilDoneOrStruck } from './background.ts'
import type { Flow } from './index.ts'

/** Longer than the claim of a delivery, and than the pauses after two failed attempts. */
const DELIVERY_MS = 120_000

/** A message from the contact form is told to a webhook. */
export const webhook: Flow = {
  name: 'webhook',
  world: { jobs: true },
  async begin(world) {
    const url = `http://127.0.0.1:${world.proxies.webhooks.port}/hook`
    const body = { url, events: ['contact.created'] }
    accepted(await world.call('POST', '/api/v1/admin/webhooks', { body }), 201)
  },
  async prepare(world) {
    const name = randomUUID()
    let isAccepted = false
    const isDelivered = async () => {
      const row = await world.db
        .selectFrom('webhook_deliveries')
        .select('status')
        .where('body', 'like', `%${name}%`)
        .executeTakeFirst()
      return row?.status === 'DELIVERED'
    }
    return {
      async act() {
        const body = { name, phone: '+7 900 123-45-67', message: 'Hello' }
        if (!isAccepted) accepted(await world.call('POST', '/api/v1/contacts', { token: undefined, body }), 201)
        isAccepted = true
        await untilDoneOrStruck(world, isDelivered)
      },
      check: async () => [],
    }
  },
  end: (world) => untilFine(() => checkWebhooks(world), DELIVERY_MS),
}

/** Every message has been told at least once, always under one id, first in the order in which they were written. */
async function checkWebhooks({ db, webhooks }: World): Promise<Finding[]> {
  const rows = await db.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute()
  const requests = await db.selectFrom('contact_requests').select('id').execute()
  const found: Finding[] = rows
    .filter(({ status }) => status !== 'DELIVERED')
    .map(({ id, status }) => ({ kind: 'stuck', what: `webhook delivery ${id}: ${status}` }))
  for (const { id } of requests) {
    const told = webhooks.received.filter(({ data }) => Object(data).id === id)
    const ids = new Set(told.map((one) => one.id))
    if (told.length === 0) found.push({ kind: 'lost', what: `the event of message ${id}` })
    if (ids.size > 1) found.push({ kind: 'doubled', what: `the event of message ${id} under ${ids.size} ids` })
  }
  const written = rows.map(({ message_id }) => messageIdOf(message_id))
  const arrived = [...new Set(webhooks.received.map(({ id }) => id))]
  if (found.length === 0 && arrived.join() !== written.join())
    found.push({ kind: 'wrong', what: 'events arrived in another order than they were written' })
  return found
}
