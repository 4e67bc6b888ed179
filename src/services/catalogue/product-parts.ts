import { isDeepStrictEqual } from 'node:util'
import type { Updateable } from 'kysely'
import type { Trx } from '../../../db/database.ts'
import { lockWork, type Work } from '../../../db/locks.ts'
import * as rows from '../../../db/queries/catalogue/product-edits.ts'
import { type CardRow, findProduct } from '../../../db/queries/catalogue/products.ts'
import type { CatalogueTables } from '../../../db/tables/catalogue.ts'
import type { Deps } from '../../deps.ts'
import { found, notFound, refuse } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { readAttributes } from '../../rules/catalogue/attributes.ts'
import { placeImage } from '../../rules/catalogue/product-fields.ts'
import { toAmount } from '../../rules/money.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type * as wire from '../../schemas/product-editing.ts'
import { missingReferences, reserveSlug } from './editing.ts'
import { type ProductContext, productContext, toStaffCard } from './product-json.ts'

/** Checks the attributes that are given. @throws AppError 400 */
export const checkAttributes = readAttributes

/** Replaces the product's MANUAL attributes. @throws AppError 400; 404; 412 STALE */
export function setAttributes(deps: Deps, actor: Actor, target: Target, input: wire.ManualAttributes) {
  const attributes = readAttributes(input)
  return editProduct(deps, actor, target, async ({ db }) => {
    await rows.replaceManualAttributes(db, target.id, attributes)
  })
}

/** @throws AppError 400 that names each unknown tag; 404; 412 STALE */
export function setTags(deps: Deps, actor: Actor, target: Target, { tagIds }: wire.ProductTags) {
  return editProduct(deps, actor, target, async ({ db }) => {
    refuse(await missingReferences(db, { tagIds }))
    await rows.replaceTags(db, target.id, tagIds)
  })
}

/** Replaces the product's images; the first is the main one. @throws AppError 400 that names each unknown one; 404; 412 STALE */
export function setImages(deps: Deps, actor: Actor, target: Target, { imageIds }: wire.ProductImages) {
  return editProduct(deps, actor, target, async ({ db }) => {
    refuse(await missingReferences(db, { imageIds }))
    const links = imageIds.map((id, displayOrder) => ({ id, displayOrder }))
    await rows.replaceImages(db, target.id, links)
  })
}

/** Links an image, or moves a linked one: by default to the end. @throws AppError 404, also for the image; 412 STALE */
export function addImage(deps: Deps, actor: Actor, target: Target, id: number, displayOrder?: number) {
  return editProduct(deps, actor, target, async ({ db }, { images }) => {
    if ((await rows.lockReferences(db, 'images', [id])).length === 0) throw notFound('image')
    await rows.replaceImages(db, target.id, placeImage(images, id, displayOrder))
  })
}

/** @throws AppError 404 also when the product doesn't have the image; 412 STALE */
export async function removeImage(deps: Deps, actor: Actor, target: Target, imageId: number): Promise<void> {
  await editProduct(deps, actor, target, async ({ db }, { images }) => {
    const others = images.filter(({ id }) => id !== imageId)
    if (others.length === images.length) throw notFound('image of this product')
    await rows.replaceImages(db, target.id, others)
  })
}

/** Sets the given slug, or else the one that the name gives. @throws AppError 400; 404; 409 SLUG_TAKEN; 412 STALE */
export function setSlug(deps: Deps, actor: Actor, target: Target, wanted?: string) {
  const apply: Change = async (tx, row) => ({ slug: await reserveSlug(tx, 'product', row, wanted) })
  // Like the sync, locks slugs before products.
  return editProduct(deps, actor, target, apply, 'productSlugs')
}

/** Writes the product's parts, and returns the changed columns of the product itself. */
type Change = (tx: UnitOfWork, present: CardRow) => Promise<Updateable<CatalogueTables['products']> | undefined>

/**
 * Locks a product, applies the change, increments the version and audits it; a change without effect writes nothing.
 * @param work whose lock must precede the product's (db/locks.ts)
 * @throws AppError 404; 412 STALE; what `apply` throws
 */
export async function editProduct(deps: Deps, actor: Actor, target: Target, apply: Change, work?: Work) {
  const context = await productContext(deps, true)
  return write(deps, async (tx) => {
    if (work !== undefined) await lockWork(tx.db, work)
    const before = await lockCurrent(tx.db, context, target)
    const changes = (await apply(tx, before)) ?? {}
    const isSame = async () => isDeepStrictEqual(audited(before), audited(await readProduct(tx.db, target.id)))
    if (!hasChanges(before, changes) && (await isSame())) return toStaffCard(before, context)
    // Only one update per transaction: a second one would make PostgreSQL check the category's foreign key again, and
    // deadlock with a transaction that deletes the category.
    await rows.updateProduct(tx.db, target.id, changes)
    const after = await readProduct(tx.db, target.id)
    tx.recordChange('product', [target.id])
    if (before.active && !after.active) tx.recordChange('productHidden', [target.id])
    tx.audit({ actor, entity: 'PRODUCT', entityId: target.id, before: audited(before), after: audited(after) })
    return toStaffCard(after, context)
  })
}

/** @throws AppError 404; 412 STALE */
export async function lockCurrent(trx: Trx, context: ProductContext, { id, ifMatch }: Target) {
  await rows.lockProducts(trx, [id])
  const row = await readProduct(trx, id)
  await refuseStale(ifMatch, row.version, () => toStaffCard(row, context))
  return row
}

export async function readProduct(trx: Trx, id: number): Promise<CardRow> {
  return found(await findProduct(trx, id), 'product')
}

/** The product as the audit log shows it. */
export function audited(row: CardRow) {
  const manual = row.attributes.filter(({ source }) => source === 'MANUAL')
  return {
    externalId: row.external_id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    price: toAmount(row.price),
    sitePrice: toAmount(row.site_price),
    stock: row.stock,
    active: row.active_override,
    categoryId: row.category_id,
    brandId: row.brand_id,
    metaTitle: row.meta_title,
    metaDescription: row.meta_description,
    overrides: row.overrides,
    attributes: manual.map(({ name, value }) => ({ name, value })),
    tagIds: row.tags.map(({ id }) => id).toSorted((a, b) => a - b),
    images: row.images.map(({ id, displayOrder }) => ({ id, displayOrder })),
  }
}
