import {
  linkImage,
  lockImage,
  lockTags,
  replaceManualAttributes,
  replaceTags,
  unlinkImage,
} from '../../../db/queries/catalogue/product-parts.ts'
import { lockSlugs } from '../../../db/queries/catalogue/slugs.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import { invalid, notFound } from '../../errors.ts'
import { readAttributes } from '../../rules/catalogue/attributes.ts'
import { MAX_INT } from '../../rules/lists.ts'
import type { Target } from '../../rules/versions.ts'
import type { ManualAttributes, ProductTags } from '../../schemas/product-editing.ts'
import type { ProductCard } from '../../schemas/products.ts'
import { changeProduct, type EditDeps } from './product-writes.ts'
import { assignSlug, generateSlug } from './slugs.ts'

/**
 * Makes these the product's MANUAL attributes; the supplier's stay.
 * @throws AppError 400; 404; 412 STALE
 */
export function setAttributes(
  deps: EditDeps,
  actor: UserRow,
  target: Target,
  input: ManualAttributes,
): Promise<ProductCard> {
  const attributes = readAttributes(input)
  return changeProduct(deps, actor, target, {
    apply: async ({ db }) => {
      await replaceManualAttributes(db, target.id, attributes)
      return {}
    },
  })
}

/** @throws AppError 400 that names each tag that isn't there; 404; 412 STALE */
export function setTags(
  deps: EditDeps,
  actor: UserRow,
  target: Target,
  { tagIds }: ProductTags,
): Promise<ProductCard> {
  return changeProduct(deps, actor, target, {
    apply: async ({ db }) => {
      refuseUnknownTags('tagIds', tagIds, await lockTags(db, tagIds))
      await replaceTags(db, target.id, tagIds)
      return {}
    },
  })
}

/** @throws AppError 400 that names each of the wanted tags that is not among those that are there */
export function refuseUnknownTags(path: string, wanted: readonly number[], there: readonly number[]): void {
  const known = new Set(there)
  const details = wanted.flatMap((id, index) =>
    known.has(id) ? [] : [{ path: `${path}.${index}`, message: 'there is no such tag' }],
  )
  if (details.length > 0) throw invalid(...details)
}

/**
 * Links an image, or moves one that is linked already.
 * @param displayOrder undefined: after all others
 * @throws AppError 404 for the product and for the image; 412 STALE
 */
export function addImage(
  deps: EditDeps,
  actor: UserRow,
  target: Target,
  image: { imageId: number; displayOrder: number | undefined },
): Promise<ProductCard> {
  const { imageId } = image
  return changeProduct(deps, actor, target, {
    apply: async ({ db }, { row }) => {
      if (!(await lockImage(db, imageId))) throw notFound('image')
      const order = image.displayOrder ?? placeAtTheEnd(row.images, imageId)
      await linkImage(db, target.id, imageId, order)
      return {}
    },
  })
}

/** What stands last already stays where it is. */
function placeAtTheEnd(images: { id: number; displayOrder: number }[], imageId: number): number {
  const last = images.at(-1)
  if (last === undefined) return 0
  return last.id === imageId ? last.displayOrder : Math.min(MAX_INT, last.displayOrder + 1)
}

/** @throws AppError 404 when the product isn't there or doesn't have the image; 412 STALE */
export async function removeImage(
  deps: EditDeps,
  actor: UserRow,
  target: Target,
  imageId: number,
): Promise<void> {
  await changeProduct(deps, actor, target, {
    apply: async ({ db }, { row }) => {
      if (!row.images.some(({ id }) => id === imageId)) throw notFound('image of this product')
      await unlinkImage(db, target.id, imageId)
      return {}
    },
  })
}

/** @throws AppError 400; 404; 409 SLUG_TAKEN; 412 STALE */
export function setSlug(
  deps: EditDeps,
  actor: UserRow,
  target: Target,
  wanted: string,
): Promise<ProductCard> {
  return changeSlug(deps, actor, target, (tx) => assignSlug(tx, 'product', target.id, wanted))
}

/** The slug that the product's name makes. @throws AppError 404; 412 STALE */
export function regenerateSlug(deps: EditDeps, actor: UserRow, target: Target): Promise<ProductCard> {
  return changeSlug(deps, actor, target, (tx, row) => generateSlug(tx, 'product', row))
}

type Change = Parameters<typeof changeProduct>[3]['apply']
type SlugOf = (tx: Parameters<Change>[0], row: Parameters<Change>[1]['row']) => Promise<string>

/** The lock of all slugs before the product's, as a page of the sync takes them. */
function changeSlug(deps: EditDeps, actor: UserRow, target: Target, slugOf: SlugOf): Promise<ProductCard> {
  return changeProduct(deps, actor, target, {
    before: (trx) => lockSlugs(trx, 'product'),
    apply: async (tx, { row }) => {
      const slug = await slugOf(tx, row)
      return slug === row.slug ? {} : { slug }
    },
  })
}
