import { isDeepStrictEqual } from 'node:util'
import type { Updateable } from 'kysely'
import type { Trx } from '../../../db/database.ts'
import { lockProduct } from '../../../db/queries/catalogue/product-edits.ts'
import { type CardRow, findProduct } from '../../../db/queries/catalogue/products.ts'
import { updateRecord } from '../../../db/queries/records.ts'
import type { ProductsTable } from '../../../db/tables/products.ts'
import type { Deps } from '../../deps.ts'
import { found, notFound } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import { auditedFields } from '../../rules/catalogue/edited-fields.ts'
import { PRODUCT_FIELDS } from '../../rules/catalogue/product-fields.ts'
import { refuseStale, type Target } from '../../rules/versions.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { ProductCard } from '../../schemas/products.ts'
import { type ProductContext, productContext, toCard } from './product-json.ts'

type ProductChanges = Updateable<ProductsTable>

type Change = {
  /** Takes locks that must precede the product's (db/locks.ts). */
  before?: (trx: Trx) => Promise<void>
  /** Writes the product's parts, and returns the changed columns of the product itself. */
  apply: (tx: UnitOfWork, present: CardRow) => Promise<ProductChanges>
}

/**
 * Updates a product for staff: locks it, checks the version, applies the change, counts the version and audits. A change
 * without effect writes nothing.
 * @throws AppError 404; 412 STALE; what `apply` throws
 */
export async function editProduct(
  deps: Deps,
  actor: Actor,
  target: Target,
  { before: lockBefore, apply }: Change,
): Promise<ProductCard> {
  const context = await productContext(deps, true)
  return write(deps, async (tx) => {
    await lockBefore?.(tx.db)
    const before = await lockCurrent(tx.db, context, target)
    const changes = await apply(tx, before)
    const isSame = async () =>
      isDeepStrictEqual(audited(before), audited(await readProduct(tx.db, target.id)))
    if (Object.keys(changes).length === 0 && (await isSame())) return toCard(before, context)
    // Once in a transaction: a second update would make PostgreSQL check the category's foreign key again, and deadlock
    // with a transaction that deletes the category.
    await updateRecord(tx.db, 'products', target.id, changes)
    const after = await readProduct(tx.db, target.id)
    tx.recordChange('product', [target.id])
    tx.audit({
      actor,
      entity: 'PRODUCT',
      entityId: target.id,
      before: audited(before),
      after: audited(after),
    })
    return toCard(after, context)
  })
}

/** @throws AppError 404; 412 STALE */
export async function lockCurrent(
  trx: Trx,
  context: ProductContext,
  { id, ifMatch }: Target,
): Promise<CardRow> {
  if (!(await lockProduct(trx, id))) throw notFound('product')
  const row = await readProduct(trx, id)
  refuseStale(ifMatch, row.version, () => toCard(row, context))
  return row
}

/** @throws AppError 404 */
export async function readProduct(trx: Trx, id: number): Promise<CardRow> {
  return found(await findProduct(trx, id), 'product')
}

/** The product as the audit log shows it. */
export function audited(row: CardRow): { [field: string]: unknown } {
  const manual = row.attributes.filter(({ source }) => source === 'MANUAL')
  return {
    externalId: row.external_id,
    slug: row.slug,
    ...auditedFields(PRODUCT_FIELDS, row),
    overrides: row.overrides,
    attributes: manual.map(({ name, value }) => ({ name, value })),
    tagIds: row.tags.map(({ id }) => id).toSorted((a, b) => a - b),
    images: row.images.map(({ id, displayOrder }) => ({ id, displayOrder })),
  }
}
