import { sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { WebhookRow, WebhooksTable } from '../../tables/webhooks.ts'
import { fromNow } from '../from-now.ts'

export function listWebhooks(db: Db): Promise<WebhookRow[]> {
  return db.selectFrom('webhooks').selectAll().orderBy('id').execute()
}

export function updateWebhook(trx: Trx, id: number, values: Updateable<WebhooksTable>): Promise<WebhookRow> {
  return trx.updateTable('webhooks').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Lets the old secret sign beside the new one for `overlapMs`. */
export function replaceSecret(
  trx: Trx,
  { id, secret }: WebhookRow,
  next: string,
  overlapMs: number,
): Promise<WebhookRow> {
  return trx
    .updateTable('webhooks')
    .set({
      secret: next,
      previous_secret: secret,
      previous_secret_until: fromNow(overlapMs),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The secrets that sign now. */
export async function listSecrets(db: Db, id: number): Promise<string[]> {
  const { rows } = await sql<{ secrets: string[] }>`
    select ${currentSecrets} as secrets from webhooks where id = ${id}`.execute(db)
  return rows[0]?.secrets ?? []
}

export const currentSecrets = sql<string[]>`array_remove(
  array[webhooks.secret, case when webhooks.previous_secret_until > now() then webhooks.previous_secret end], null)`
