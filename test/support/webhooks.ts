import { sql } from 'kysely'
import type { Deps } from '../../src/deps.ts'
import type { WebhookEvent } from '../../src/rules/webhooks.ts'
import { newWebhookSecret } from '../../src/runtime/secrets.ts'
import { write } from '../../src/runtime/write.ts'
import { updateSetting } from '../../src/services/settings/settings.ts'
import { startDeliveries } from '../../src/services/webhooks/deliver.ts'

/** Inserts a webhook. @returns its id */
export async function createWebhook(
  { db }: Pick<Deps, 'db'>,
  url: string,
  events: WebhookEvent[] = ['contact.created'],
): Promise<number> {
  const values = { url, events, active: true, description: '', secret: newWebhookSecret() }
  const { id } = await db.insertInto('webhooks').values(values).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Switches the job on or off. While it is off, a failed attempt wakes no deliveries seconds later. */
export async function switchDeliveries(deps: Deps, to: 'on' | 'off'): Promise<void> {
  const actor = { id: null, email: null, name: 'Test', role: 'ADMIN' as const }
  const target = { id: 'job_webhook_delivery_enabled', ifMatch: undefined }
  await updateSetting(deps, actor, target, { value: String(to === 'on') })
}

/** Records events with these numbers as their data, each in its own transaction. */
export async function recordEvents(deps: Pick<Deps, 'db' | 'changes'>, ...numbers: number[]): Promise<void> {
  for (const number of numbers) {
    await write(deps, async (tx) => tx.recordChange('contactCreated', [number], () => ({ number })))
  }
}

/** Delivers until nothing is due. */
export async function deliver(deps: Deps): Promise<void> {
  const { finished } = await startDeliveries(deps)
  await finished
}

/** Makes all that waits or is claimed due: its time has come. */
export async function makeDue({ db }: Pick<Deps, 'db'>): Promise<void> {
  await sql`update webhook_deliveries set next_attempt_at = now() where status = 'PENDING'`.execute(db)
}
