import { deleteLoginBlock, findLoginBlocks } from '../../../db/queries/accounts/login-blocks.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import { write } from '../../runtime/write.ts'
import type { LoginBlock } from '../../schemas/login-blocks.ts'

/** Lists the limits of failed logins that are reached, those that end last first (contract section 11, "Repairs"). */
export async function listLoginBlocks({ db, config }: Deps): Promise<LoginBlock[]> {
  const { loginPair, loginAddress, loginEmail } = config.rateLimits
  const blocks = await findLoginBlocks(db, { PAIR: loginPair, ADDRESS: loginAddress, EMAIL: loginEmail })
  return blocks.map(({ resets_at, ...block }) => ({ ...block, until: resets_at.toISOString() }))
}

/** Lets logins through again at once, on every instance. @throws AppError 404 */
export async function liftLoginBlock(deps: Deps, actor: Actor, id: string): Promise<void> {
  await write(deps, async (tx) => {
    const lifted = found(await deleteLoginBlock(tx.db, id), 'login block')
    tx.audit({ actor, entity: 'LOGIN_BLOCK', entityId: id, before: { failures: lifted.count }, after: null })
  })
}
