import type { Deps } from '../../deps.ts'
import { invalid } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { hashToken, newApiKey } from '../../runtime/secrets.ts'
import { ApiKey, type CreatedApiKey, type NewApiKey } from '../../schemas/users.ts'
import { type RecordKind, recordUseCases } from '../records.ts'
import { toWire } from '../wire.ts'

/** Of a key's secret only a hash is stored. */
const API_KEYS: RecordKind<'api_keys', ApiKey, NewApiKey & { key: string; createdBy: string }> = {
  table: 'api_keys',
  name: 'API key',
  entity: 'API_KEY',
  change: 'apiKey',
  toWire: (row) => toWire(ApiKey, row),
  toValues: ({ name, role, expiresAt, key, createdBy }) => ({
    name: name.trim(),
    role,
    expires_at: expiresAt == null ? null : new Date(expiresAt),
    key_hash: hashToken(key),
    created_by: createdBy,
  }),
  conflicts: { api_keys_name: ['NAME_TAKEN', 'There is already an API key with this name'] },
}
const useCases = recordUseCases(API_KEYS)

/** Checks the expiry if it is given. @throws AppError 400 */
export function checkApiKey({ expiresAt }: Partial<NewApiKey>, now: Date): void {
  if (expiresAt != null && new Date(expiresAt) <= now)
    throw invalid({ path: 'expiresAt', message: 'must be in the future' })
}

/** Creates a key and returns its secret. @throws AppError 400; 409 NAME_TAKEN */
export async function createApiKey(deps: Deps, actor: Actor, input: NewApiKey): Promise<CreatedApiKey> {
  checkApiKey(input, deps.now())
  const key = newApiKey()
  return { ...(await useCases.create(deps, actor, { ...input, key, createdBy: actor.email ?? actor.name })), key }
}

export const { list: listApiKeys, delete: deleteApiKey } = useCases
