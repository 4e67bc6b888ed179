import type { Trx } from '../../../db/database.ts'
import { violates } from '../../../db/errors.ts'
import { lockWork } from '../../../db/locks.ts'
import * as rows from '../../../db/queries/catalogue/product-edits.ts'
import type { CardRow } from '../../../db/queries/catalogue/products.ts'
import { deleteSlugs, reserveId } from '../../../db/queries/catalogue/slugs.ts'
import { requireProductLoad } from '../../../db/queries/supplier/watermarks.ts'
import type { Deps } from '../../deps.ts'
import { conflict, faultsOf, found, refuse } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { columnsToWrite, PRODUCT_OVERRIDES, refuseSupplierFigures } from '../../rules/catalogue/product-fields.ts'
import { decimalOf } from '../../rules/money.ts'
import { readName, textOrNull } from '../../rules/text.ts'
import type { Target } from '../../rules/versions.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { DeletedProduct, NewProduct, ProductInput } from '../../schemas/product-editing.ts'
import { missingReferences, reserveSlug, withSafeDescription } from './editing.ts'
import { productContext, toStaffCard } from './product-json.ts'
import { audited, editProduct, lockCurrent, readProduct } from './product-parts.ts'

/**
 * Creates a product. With `externalId` it becomes the supplier's product, even one that staff deleted: the given fields
 * are overrides, but price and stock last only until the next sync, which reads all products to complete it.
 * @throws AppError 400; 409 EXTERNAL_ID_TAKEN
 */
export async function createProduct(deps: Deps, actor: Actor, { externalId = null, ...given }: NewProduct) {
  const input = await withSafeDescription(deps, given)
  const context = await productContext(deps, true)
  return write(deps, async (tx) => {
    if (externalId !== null) await lockWork(tx.db, 'productRows')
    const { categoryId, brandId } = input
    refuse(await missingReferences(tx.db, { categoryId, brandId }))
    const id = await reserveId(tx.db, 'product')
    const name = readName(input.name)
    await rows
      .insertProduct(tx.db, {
        ...columnsOf(input),
        id,
        name,
        slug: await reserveSlug(tx, 'product', { id, name }),
        overrides: PRODUCT_OVERRIDES.filter((field) => externalId !== null && input[field] !== undefined),
        external_id: externalId,
        // Whether the supplier sells it is unknown until the next sync.
        supplier_active: externalId === null,
      })
      .catch((error: unknown) => {
        if (!violates(error, 'products_external_id_key')) throw error
        throw conflict('EXTERNAL_ID_TAKEN', `There is a product with the externalId ${externalId}`)
      })
    await rows.recordStock(tx.db, id, input.stock ?? 0)
    if (externalId !== null) {
      await requireProductLoad(tx.db)
      await rows.attachExternalId(tx.db, id, externalId)
    }
    const after = await readProduct(tx.db, id)
    tx.recordChange('product', [id])
    tx.audit({ actor, entity: 'PRODUCT', entityId: id, before: null, after: audited(after) })
    return toStaffCard(after, context)
  })
}

/** Like updateProduct, but repeating the current `active` doesn't override the supplier's decision. */
export function replaceProduct(deps: Deps, actor: Actor, target: Target, given: ProductInput) {
  return updateProduct(deps, actor, target, given, true)
}

/** Updates the given fields. @throws AppError 400; 404; 412 STALE */
export async function updateProduct(
  deps: Deps,
  actor: Actor,
  target: Target,
  given: ProductInput,
  isReplacement = false,
) {
  const input = await withSafeDescription(deps, given)
  const { name, categoryId, clearOverrides } = input
  // These write search words or categories, which the sync and the deletion of a category lock too.
  const needsLock = [name, categoryId, clearOverrides].some((value) => value !== undefined)
  const apply = ({ db }: UnitOfWork, row: CardRow) => {
    const isRepeated = isReplacement && row.active_override === null && input.active === row.active
    return applyInput(db, row, isRepeated ? { ...input, active: undefined } : input)
  }
  return editProduct(deps, actor, target, apply, needsLock ? 'productRows' : undefined)
}

/** Deletes a product; orders keep their lines. @throws AppError 404; 412 STALE */
export async function deleteProduct(deps: Deps, actor: Actor, target: Target): Promise<void> {
  const context = await productContext(deps, true)
  const { id } = target
  await write(deps, async (tx) => {
    await lockWork(tx.db, 'productRows')
    await rows.lockForDeletion(tx.db, id)
    const before = await lockCurrent(tx.db, context, target)
    const reviews = await rows.deleteProduct(tx.db, id)
    await deleteSlugs(tx.db, 'product', id)
    tx.recordChange('review', reviews)
    tx.recordChange('product', [id])
    if (before.active) tx.recordChange('productHidden', [id])
    tx.audit({ actor, entity: 'PRODUCT', entityId: id, before: audited(before), after: null })
  })
}

/** The columns that an input sets; undefined ones stay. */
function columnsOf(input: ProductInput) {
  return {
    name: input.name && readName(input.name),
    description: textOrNull(input.description),
    price: input.price == null ? input.price : decimalOf(input.price),
    site_price: input.sitePrice == null ? input.sitePrice : decimalOf(input.sitePrice),
    stock: input.stock,
    active_override: input.active,
    category_id: input.categoryId,
    brand_id: input.brandId,
    meta_title: textOrNull(input.metaTitle),
    meta_description: textOrNull(input.metaDescription),
  }
}

async function applyInput(trx: Trx, row: CardRow, input: ProductInput) {
  const { categoryId, brandId, clearOverrides = [] } = input
  const missing = await missingReferences(trx, { categoryId, brandId })
  refuse([...faultsOf(() => refuseSupplierFigures(row, input)), ...missing])
  const wanted = {
    ...columnsOf(input),
    ...(input.clearMetaTitle && { meta_title: null }),
    ...(input.clearMetaDescription && { meta_description: null }),
  }
  const { stock = row.stock } = input
  if (stock !== row.stock) await rows.recordStock(trx, row.id, stock)
  return columnsToWrite(row, wanted, clearOverrides)
}

const MAX_LISTED = 1000

/** Lists the supplier's products that staff deleted, the newest deletion first (docs/operations.md). */
export async function listDeletedProducts({ db }: Deps): Promise<DeletedProduct[]> {
  return (await rows.listDeletedProducts(db, MAX_LISTED)).map(toDeletedProduct)
}

/** Lets the next sync bring a product back, and makes it read all products. @throws AppError 404 */
export async function restoreDeletedProduct(deps: Deps, actor: Actor, externalId: string) {
  return write(deps, async (tx) => {
    const row = found(await rows.deleteDeletedProduct(tx.db, externalId), 'deleted product')
    await requireProductLoad(tx.db)
    const restored = toDeletedProduct(row)
    tx.audit({ actor, entity: 'DELETED_PRODUCT', entityId: externalId, before: restored, after: null })
    return restored
  })
}

function toDeletedProduct(row: rows.DeletedProductRow): DeletedProduct {
  return { externalId: row.external_id, name: row.name, deletedAt: row.deleted_at.toISOString() }
}
