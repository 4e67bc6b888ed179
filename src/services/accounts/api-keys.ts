import { Type } from '@sinclair/typebox'
import { deleteRecord, insertRecord, listRecords } from '../../../db/queries/records.ts'
import type { ApiKeyRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { found, invalid } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { hashToken, newApiKey } from '../../runtime/secrets.ts'
import { write } from '../../runtime/write.ts'
import { ApiKey, type CreatedApiKey, type NewApiKey } from '../../schemas/users.ts'
import { recordEdit } from '../records.ts'
import { toWire } from '../wire.ts'

const API_KEYS = {
  change: 'apiKey',
  entity: 'API_KEY',
  audited: (row: ApiKeyRow) => toWire(Type.Pick(ApiKey, ['name', 'role', 'expiresAt']), row),
} as const
const toApiKey = (row: ApiKeyRow): ApiKey => toWire(ApiKey, row)

/** Lists all keys, expired ones included, without their secrets. */
export async function listApiKeys({ db }: Deps): Promise<ApiKey[]> {
  return (await listRecords(db, 'api_keys')).map(toApiKey)
}

/** Checks the expiry if it is given. @throws AppError 400 */
export function checkApiKey({ expiresAt }: Partial<NewApiKey>, now: Date): Date | null {
  const expiry = expiresAt == null ? null : new Date(expiresAt)
  if (expiry !== null && expiry <= now) throw invalid({ path: 'expiresAt', message: 'must be in the future' })
  return expiry
}

/** Creates a key and returns its secret, of which only a hash is stored. @throws AppError 400 */
export async function createApiKey(
  deps: Deps,
  actor: Actor & { email: string },
  input: NewApiKey,
): Promise<CreatedApiKey> {
  const key = newApiKey()
  const values = {
    name: input.name.trim(),
    role: input.role,
    expires_at: checkApiKey(input, deps.now()),
    key_hash: hashToken(key),
    created_by: actor.email,
  }
  const row = await write(deps, async (tx) => {
    const created = await insertRecord(tx.db, 'api_keys', values)
    recordEdit(tx, API_KEYS, actor, null, created)
    return created
  })
  return { ...toApiKey(row), key }
}

/** Revokes a key on every instance. @throws AppError 404 */
export async function deleteApiKey(deps: Deps, actor: Actor, id: number): Promise<void> {
  await write(deps, async (tx) => {
    const deleted = found(await deleteRecord(tx.db, 'api_keys', id), 'API key')
    recordEdit(tx, API_KEYS, actor, deleted, null)
  })
}
