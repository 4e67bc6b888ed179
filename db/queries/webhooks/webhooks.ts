import { sql, type UpdateObject } from 'kysely'
import type { Db, Tables, Trx } from '../../database.ts'
import type { WebhookRow } from '../../tables/webhooks.ts'
import { fromNow } from '../expressions.ts'

export function updateWebhook(
  trx: Trx,
  id: number,
  values: UpdateObject<Tables, 'webhooks'>,
): Promise<WebhookRow> {
  return trx.updateTable('webhooks').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Lets the old secret sign beside the new one for `overlapMs`. */
export function replaceSecret(
  trx: Trx,
  { id, secret }: WebhookRow,
  next: string,
  overlapMs: number,
): Promise<WebhookRow> {
  const previous = { previous_secret: secret, previous_secret_until: fromNow(overlapMs) }
  return updateWebhook(trx, id, { secret: next, ...previous })
}

/** The secrets that sign now. */
export async function listSecrets(db: Db, id: number): Promise<string[]> {
  const { rows } = await sql<{ secrets: string[] }>`
    select ${currentSecrets} as secrets from webhooks where id = ${id}`.execute(db)
  return rows[0]?.secrets ?? []
}

export const currentSecrets = sql<string[]>`array_remove(
  array[webhooks.secret, case when webhooks.previous_secret_until > now() then webhooks.previous_secret end], null)`
