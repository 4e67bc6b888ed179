import * as deleted from '../../../db/queries/catalogue/deleted-products.ts'
import { requireProductLoad } from '../../../db/queries/supplier/states.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import { write } from '../../runtime/write.ts'
import { DeletedProduct } from '../../schemas/deleted-products.ts'
import { toWire } from '../wire.ts'

const MAX_LISTED = 1000

/** Lists the supplier's products that staff deleted, the newest deletion first (contract section 11, "Repairs"). */
export async function listDeletedProducts({ db }: Deps): Promise<DeletedProduct[]> {
  return (await deleted.listDeletedProducts(db, MAX_LISTED)).map(toDeletedProduct)
}

/** Lets the next sync, which reads all products, bring a product back. @throws AppError 404 */
export async function restoreDeletedProduct(
  deps: Deps,
  actor: Actor,
  externalId: string,
): Promise<DeletedProduct> {
  return write(deps, async (tx) => {
    const row = found(await deleted.deleteDeletedProduct(tx.db, externalId), 'deleted product')
    await requireProductLoad(tx.db)
    const restored = toDeletedProduct(row)
    tx.audit({ actor, entity: 'DELETED_PRODUCT', entityId: externalId, before: restored, after: null })
    return restored
  })
}

const toDeletedProduct = (row: deleted.DeletedProductRow) => toWire(DeletedProduct, row)
