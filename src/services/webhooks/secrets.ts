import { listUnsealedWebhooks, sealWebhook } from '../../../db/queries/webhooks/webhooks.ts'
import type { WebhookRow } from '../../../db/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { SECRET_PREFIX, secretsAt } from '../../rules/webhooks.ts'
import { seal, unseal } from '../../runtime/secrets.ts'

type Config = Pick<Deps, 'config'>

/** A secret as it is stored. */
export function sealSecret({ config }: Config, secret: string): string {
  return seal(config.jwtSecret, secret).toString('base64')
}

/** The secrets that sign a request now; none if they were sealed with another JWT_SECRET. */
export function signingSecrets(
  { config, now }: Pick<Deps, 'config' | 'now'>,
  row: Pick<WebhookRow, 'secret' | 'previous_secret' | 'previous_secret_until'>,
): string[] {
  return secretsAt(now(), row).flatMap((stored) =>
    isSealed(stored) ? (unseal(config.jwtSecret, Buffer.from(stored, 'base64')) ?? []) : stored,
  )
}

/** Of an attempt that none of the secrets can sign. */
export const UNREADABLE = {
  status: null,
  response: null,
  error: 'Its secret was sealed with another JWT_SECRET: replace it with rotate-secret',
}

/** 0.1.0 stored secrets as they are, and an archive of it may still hold such. */
function isSealed(stored: string): boolean {
  return !stored.startsWith(SECRET_PREFIX)
}

/** Seals what 0.1.0 stored as it is. Several instances may do so at once. */
export async function sealSecrets({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<void> {
  for (const { id, secret, previous_secret } of await listUnsealedWebhooks(db, SECRET_PREFIX)) {
    const sealed = (stored: string) => (isSealed(stored) ? stored : sealSecret({ config }, stored))
    await sealWebhook(db, { id, secret }, sealed(secret), previous_secret && sealed(previous_secret))
  }
}
