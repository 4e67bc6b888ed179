import { violates } from '../../../db/errors.ts'
import * as rows from '../../../db/queries/accounts/api-keys.ts'
import type { ApiKeyRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { conflict, found, invalid } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { timeOrNull } from '../../rules/text.ts'
import type { Target } from '../../rules/versions.ts'
import { hashToken, newApiKey } from '../../runtime/secrets.ts'
import { write } from '../../runtime/write.ts'
import type { ApiKey, CreatedApiKey, NewApiKey } from '../../schemas/api-keys.ts'

export async function listApiKeys({ db }: Deps): Promise<ApiKey[]> {
  return (await rows.listApiKeys(db)).map(toApiKey)
}

/** Creates a key and returns its secret, of which only a hash is stored. @throws AppError 400; 409 NAME_TAKEN */
export function createApiKey(deps: Deps, actor: Actor, input: NewApiKey): Promise<CreatedApiKey> {
  checkApiKey(input, deps.now())
  const key = newApiKey()
  const values = {
    name: input.name.trim(),
    role: input.role,
    expires_at: timeOrNull(input.expiresAt),
    key_hash: hashToken(key),
    created_by: actor.email ?? actor.name,
    created_by_id: actor.id,
  }
  return write(deps, async (tx) => {
    const apiKey = toApiKey(await rows.insertApiKey(tx.db, values).catch(explain))
    tx.recordChange('apiKey', [apiKey.id])
    tx.audit({ actor, entity: 'API_KEY', entityId: apiKey.id, before: null, after: apiKey })
    return { ...apiKey, key }
  })
}

/** @throws AppError 404 */
export function deleteApiKey(deps: Deps, actor: Actor, { id }: Target): Promise<void> {
  return write(deps, async (tx) => {
    const before = toApiKey(found(await rows.deleteApiKey(tx.db, id), 'API key'))
    tx.recordChange('apiKey', [id])
    tx.audit({ actor, entity: 'API_KEY', entityId: id, before, after: null })
  })
}

/** Checks the expiry if it is given: a key that never works helps nobody. @throws AppError 400 */
export function checkApiKey({ expiresAt }: Partial<NewApiKey>, now: Date): void {
  if (expiresAt != null && new Date(expiresAt) <= now) throw invalid({ path: 'expiresAt', code: 'NOT_IN_FUTURE' })
}

function explain(error: unknown): never {
  throw violates(error, 'api_keys_name') ? conflict('NAME_TAKEN', 'There is already an API key with this name') : error
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
  }
}
