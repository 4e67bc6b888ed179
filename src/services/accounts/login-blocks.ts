import * as queries from '../../../db/queries/accounts/login-blocks.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import { MAX_WRONG_CODES } from '../../rules/accounts/client-address.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { write } from '../../runtime/write.ts'
import type { LoginBlock } from '../../schemas/login-blocks.ts'

/** Lists the limits of failed logins that are reached, those that end last first (docs/operations.md). */
export async function listLoginBlocks({ db, config }: Deps): Promise<LoginBlock[]> {
  const { loginPair, loginAddress, loginEmail } = config.rateLimits
  const blocks = await queries.findLoginBlocks(db, {
    PAIR: loginPair,
    ADDRESS: loginAddress,
    EMAIL: loginEmail,
    CODE: MAX_WRONG_CODES,
  })
  return blocks.map(({ resets_at, ...block }) => ({ ...block, until: resets_at.toISOString() }))
}

/** Lets logins through again at once, on every instance. @throws AppError 404 */
export async function liftLoginBlock(deps: Deps, actor: Actor, id: string): Promise<void> {
  const block = (await listLoginBlocks(deps)).find((listed) => listed.id === id)
  const before = { ...found(block, 'login block') }
  await write(deps, async (tx) => {
    await queries.deleteLoginBlock(tx.db, id)
    tx.audit({ actor, entity: 'LOGIN_BLOCK', entityId: id, before, after: null })
  })
}
