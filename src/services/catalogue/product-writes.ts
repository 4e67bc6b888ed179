import { isDeepStrictEqual } from 'node:util'
import type { Trx } from '../../../db/database.ts'
import { lockProduct, updateProduct } from '../../../db/queries/catalogue/product-edits.ts'
import { type AttributeRow, findProduct, type ProductRow } from '../../../db/queries/catalogue/products.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import { auditedFields } from '../../rules/catalogue/edited-fields.ts'
import { PRODUCT_FIELDS } from '../../rules/catalogue/product-fields.ts'
import { refuseStale, type Target } from '../../rules/versions.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { ProductCard } from '../../schemas/products.ts'
import { type ProductContext, productContext, toStaffCard } from './product-json.ts'

export type EditDeps = Pick<Deps, 'db' | 'changes' | 'cached'>

/** All that staff see of a product. */
export type ProductState = { row: ProductRow; attributes: AttributeRow[] }

/** Columns that really change. */
type ProductChanges = Parameters<typeof updateProduct>[2]

type Change = {
  /** What the transaction locks before the product (db/locks.ts). */
  before?: (trx: Trx) => Promise<void>
  /** Writes what hangs on the product; of the product itself it says what is to be otherwise. */
  apply: (tx: UnitOfWork, present: ProductState) => Promise<ProductChanges>
}

/**
 * The one way in which staff change a product: it is locked, compared with the version they know, changed, counted and
 * written down. What changes nothing is no change.
 * @returns the card as staff see it
 * @throws AppError 404; 412 STALE; what `apply` throws
 */
export async function changeProduct(
  deps: EditDeps,
  actor: UserRow,
  target: Target,
  { before: lockBefore, apply }: Change,
): Promise<ProductCard> {
  const context = await productContext(deps, true)
  return write(deps, async (tx) => {
    await lockBefore?.(tx.db)
    const before = await lockCurrent(tx.db, context, target)
    const changes = await apply(tx, before)
    const isSame = async () => isDeepStrictEqual(audited(before), audited(await readState(tx.db, target.id)))
    if (Object.keys(changes).length === 0 && (await isSame())) return cardOf(before, context)
    await updateProduct(tx.db, target.id, changes)
    const after = await readState(tx.db, target.id)
    tx.recordChange('product', [target.id])
    tx.audit({
      actor,
      entity: 'PRODUCT',
      entityId: target.id,
      before: audited(before),
      after: audited(after),
    })
    return cardOf(after, context)
  })
}

export function cardOf({ row, attributes }: ProductState, context: ProductContext): ProductCard {
  return toStaffCard(row, attributes, context)
}

/** @throws AppError 404; 412 STALE */
export async function lockCurrent(
  trx: Trx,
  context: ProductContext,
  { id, ifMatch }: Target,
): Promise<ProductState> {
  if (!(await lockProduct(trx, id))) throw notFound('product')
  const state = await readState(trx, id)
  refuseStale(ifMatch, state.row.version, () => cardOf(state, context))
  return state
}

/** @throws AppError 404 */
export async function readState(trx: Trx, id: number): Promise<ProductState> {
  const row = await findProduct(trx, id)
  if (row === undefined) throw notFound('product')
  return { row, attributes: row.attributes }
}

/** What staff decide of a product, as the audit log has it. */
export function audited({ row, attributes }: ProductState): { [field: string]: unknown } {
  const manual = attributes.filter(({ source }) => source === 'MANUAL')
  return {
    externalId: row.external_id,
    slug: row.slug,
    ...auditedFields(PRODUCT_FIELDS, row),
    overrides: row.overrides,
    attributes: manual.map(({ name, value }) => ({ name, value })),
    tagIds: row.tags.map(({ id }) => id).toSorted((a, b) => a - b),
    images: row.images,
  }
}
