import type { Trx } from '../../../db/database.ts'
import { violates } from '../../../db/errors.ts'
import {
  attachExternalId,
  deleteProduct as deleteRow,
  lockByExternalId,
  lockForDeletion,
  lockProductRows,
  lockReferences,
  recordStock,
} from '../../../db/queries/catalogue/product-edits.ts'
import type { CardRow } from '../../../db/queries/catalogue/products.ts'
import { deleteSlugs } from '../../../db/queries/catalogue/slugs.ts'
import { insertRecord, nextRecordId } from '../../../db/queries/records.ts'
import { requireProductLoad } from '../../../db/queries/supplier/states.ts'
import type { Deps } from '../../deps.ts'
import { checkAll, conflict, type ErrorDetail, invalid } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import {
  PRODUCT_OVERRIDES,
  type ProductInput,
  readProductInput,
} from '../../rules/catalogue/product-fields.ts'
import {
  type CurrentProduct,
  changedColumns,
  type ProductChanges,
  refuseSupplierFigures,
} from '../../rules/catalogue/product-overrides.ts'
import type { Target } from '../../rules/versions.ts'
import { write } from '../../runtime/write.ts'
import type { NewProduct, ProductReplacement } from '../../schemas/product-editing.ts'
import type { ProductCard } from '../../schemas/products.ts'
import { withSafeDescription } from './descriptions.ts'
import { productContext, toCard } from './product-json.ts'
import { audited, editProduct, lockCurrent, readProduct } from './product-writes.ts'
import { reserveSlug } from './slugs.ts'

/** Refuses what no product may have (contract section 1, "Errors"). @throws AppError 400 */
export function checkProduct(input: ProductInput): void {
  readProductInput(input)
}

/**
 * Creates a product. With `externalId` it becomes the supplier's product, also one that staff deleted: the given fields
 * are overrides, price and stock last until the next sync, which reads all products to complete it.
 * @throws AppError 400; 409 EXTERNAL_ID_TAKEN
 */
export async function createProduct(
  deps: Deps,
  actor: Actor,
  { externalId = null, ...given }: NewProduct,
): Promise<ProductCard> {
  const input = await withSafeDescription(deps, given)
  const context = await productContext(deps, true)
  return write(deps, async (tx) => {
    if (externalId !== null) await lockProductRows(tx.db)
    const missing = await missingReferences(tx.db, input)
    const { wanted } = checkAll({ wanted: () => readProductInput(input), references: () => refuse(missing) })
    const id = await nextRecordId(tx.db, 'products')
    const name = wanted.name ?? input.name
    const slug = await reserveSlug(tx, 'product', { id, name })
    const overrides =
      externalId === null ? [] : PRODUCT_OVERRIDES.filter((field) => input[field] !== undefined)
    await insertRecord(tx.db, 'products', {
      ...wanted,
      ...{ id, name, slug, overrides, external_id: externalId },
      // Whether the supplier sells it is unknown until the next sync.
      supplier_active: externalId === null,
    }).catch((error: unknown) => {
      if (!violates(error, 'products_external_id_key')) throw error
      throw conflict('EXTERNAL_ID_TAKEN', `There is a product with the externalId ${externalId}`)
    })
    await recordStock(tx.db, id, wanted.stock ?? 0)
    if (externalId !== null) {
      await requireProductLoad(tx.db)
      await attachExternalId(tx.db, id, externalId)
    }
    const after = await readProduct(tx.db, id)
    tx.recordChange('product', [id])
    tx.audit({ actor, entity: 'PRODUCT', entityId: id, before: null, after: audited(after) })
    return toCard(after, context)
  })
}

/**
 * Updates the given fields; a PUT that repeats the current `active` doesn't override the supplier's decision.
 * @throws AppError 400; 404; 412 STALE
 */
export async function replaceProduct(
  deps: Deps,
  actor: Actor,
  target: Target,
  given: ProductReplacement,
): Promise<ProductCard> {
  const input = await withSafeDescription(deps, given)
  return editProduct(deps, actor, target, {
    before: lockProductRows,
    apply: ({ db }, row) => {
      const isRepeated = row.active_override === null && input.active === row.active
      return applyInput(db, row, isRepeated ? { ...input, active: undefined } : input)
    },
  })
}

/** @throws AppError 400; 404; 412 STALE */
export async function patchProduct(
  deps: Deps,
  actor: Actor,
  target: Target,
  given: ProductInput,
): Promise<ProductCard> {
  const input = await withSafeDescription(deps, given)
  const { name, categoryId, clearOverrides } = input
  // These write search words or categories, which the sync and the deletion of a category lock too.
  const needsLock = [name, categoryId, clearOverrides].some((value) => value !== undefined)
  return editProduct(deps, actor, target, {
    ...(needsLock && { before: lockProductRows }),
    apply: ({ db }, row) => applyInput(db, row, input),
  })
}

/**
 * Deletes a product; orders keep their lines. The sync doesn't bring a supplier's product back.
 * @throws AppError 404; 412 STALE
 */
export async function deleteProduct(deps: Deps, actor: Actor, target: Target): Promise<void> {
  const context = await productContext(deps, true)
  const { id } = target
  await write(deps, async (tx) => {
    await lockProductRows(tx.db)
    await lockForDeletion(tx.db, id)
    const before = await lockCurrent(tx.db, context, target)
    const reviews = await deleteRow(tx.db, id)
    await deleteSlugs(tx.db, 'product', [id])
    tx.recordChange('product', [id])
    tx.recordChange('review', reviews)
    tx.audit({ actor, entity: 'PRODUCT', entityId: id, before: audited(before), after: null })
  })
}

async function applyInput(trx: Trx, row: CardRow, input: ProductInput): Promise<ProductChanges> {
  const missing = await missingReferences(trx, input)
  const { clearOverrides = [] } = input
  const clears = (field: 'categoryId' | 'brandId') => clearOverrides.includes(field)
  const current: CurrentProduct = {
    ...row,
    supplierCategoryId: clears('categoryId')
      ? await lockByExternalId(trx, 'categories', row.category_external_id)
      : null,
    supplierBrandId: clears('brandId') ? await lockByExternalId(trx, 'brands', row.brand_external_id) : null,
  }
  const { wanted } = checkAll({
    wanted: () => readProductInput(input),
    figures: () => refuseSupplierFigures(current, input),
    references: () => refuse(missing),
  })
  const changes = changedColumns(current, wanted, clearOverrides)
  if (changes.stock !== undefined) await recordStock(trx, row.id, changes.stock)
  return changes
}

/** Locks the category and the brand that the input names until the transaction ends. @returns an error per missing one */
async function missingReferences(
  trx: Trx,
  { categoryId, brandId }: Pick<ProductInput, 'categoryId' | 'brandId'>,
): Promise<ErrorDetail[]> {
  const isMissing = async (table: 'categories' | 'brands', id: number | null | undefined) =>
    typeof id === 'number' && (await lockReferences(trx, table, [id])).length === 0
  const details: ErrorDetail[] = []
  if (await isMissing('categories', categoryId)) {
    details.push({ path: 'categoryId', message: 'there is no such category' })
  }
  if (await isMissing('brands', brandId)) details.push({ path: 'brandId', message: 'there is no such brand' })
  return details
}

function refuse(details: ErrorDetail[]): void {
  if (details.length > 0) throw invalid(...details)
}
