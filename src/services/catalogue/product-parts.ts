import { lockReferences } from '../../../db/queries/catalogue/product-edits.ts'
import {
  type ImageLink,
  replaceImages,
  replaceManualAttributes,
  replaceTags,
} from '../../../db/queries/catalogue/product-parts.ts'
import { lockSlugs } from '../../../db/queries/catalogue/slugs.ts'
import type { Deps } from '../../deps.ts'
import { invalid, notFound } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import { readAttributes } from '../../rules/catalogue/attributes.ts'
import { placeImage } from '../../rules/catalogue/image-order.ts'
import type { Target } from '../../rules/versions.ts'
import type { ManualAttributes, ProductImages, ProductTags } from '../../schemas/product-editing.ts'
import type { ProductCard } from '../../schemas/products.ts'
import { editProduct } from './product-writes.ts'
import { reserveSlug } from './slugs.ts'

/** Replaces the product's MANUAL attributes. @throws AppError 400; 404; 412 STALE */
export function setAttributes(
  deps: Deps,
  actor: Actor,
  target: Target,
  input: ManualAttributes,
): Promise<ProductCard> {
  const attributes = readAttributes(input)
  return editProduct(deps, actor, target, {
    apply: async ({ db }) => {
      await replaceManualAttributes(db, target.id, attributes)
      return {}
    },
  })
}

/** @throws AppError 400 that names each unknown tag; 404; 412 STALE */
export function setTags(
  deps: Deps,
  actor: Actor,
  target: Target,
  { tagIds }: ProductTags,
): Promise<ProductCard> {
  return editProduct(deps, actor, target, {
    apply: async ({ db }) => {
      refuseUnknown('tag', 'tagIds', tagIds, await lockReferences(db, 'tags', tagIds))
      await replaceTags(db, target.id, tagIds)
      return {}
    },
  })
}

/** @throws AppError 400 that names each wanted record that doesn't exist */
export function refuseUnknown(
  name: 'tag' | 'image',
  path: string,
  wanted: readonly number[],
  existing: readonly number[],
): void {
  const known = new Set(existing)
  const details = wanted.flatMap((id, index) =>
    known.has(id) ? [] : [{ path: `${path}.${index}`, message: `there is no such ${name}` }],
  )
  if (details.length > 0) throw invalid(...details)
}

/**
 * Links an image, or moves a linked one; last unless a displayOrder is given.
 * @throws AppError 404 for the product and for the image; 412 STALE
 */
export function addImage(
  deps: Deps,
  actor: Actor,
  target: Target,
  image: { imageId: number; displayOrder: number | undefined },
): Promise<ProductCard> {
  const { imageId: id } = image
  return editProduct(deps, actor, target, {
    apply: async ({ db }, row) => {
      if ((await lockReferences(db, 'images', [id])).length === 0) throw notFound('image')
      const displayOrder = image.displayOrder ?? lastDisplayOrder(row.images, id)
      await replaceImages(db, target.id, placeImage(row.images, { id, displayOrder }))
      return {}
    },
  })
}

/**
 * Replaces the product's images; the first is the main one.
 * @throws AppError 400 that names each unknown image; 404; 412 STALE
 */
export function setImages(
  deps: Deps,
  actor: Actor,
  target: Target,
  { imageIds }: ProductImages,
): Promise<ProductCard> {
  return editProduct(deps, actor, target, {
    apply: async ({ db }) => {
      refuseUnknown('image', 'imageIds', imageIds, await lockReferences(db, 'images', imageIds))
      const links = imageIds.map((id, displayOrder) => ({ id, displayOrder }))
      await replaceImages(db, target.id, links)
      return {}
    },
  })
}

/** An image that is last already keeps its order. */
function lastDisplayOrder(images: ImageLink[], imageId: number): number {
  const last = images.at(-1)
  if (last === undefined) return 0
  return last.id === imageId ? last.displayOrder : last.displayOrder + 1
}

/** @throws AppError 404 also when the product doesn't have the image; 412 STALE */
export async function removeImage(deps: Deps, actor: Actor, target: Target, imageId: number): Promise<void> {
  await editProduct(deps, actor, target, {
    apply: async ({ db }, row) => {
      if (!row.images.some(({ id }) => id === imageId)) throw notFound('image of this product')
      const others = row.images.filter(({ id }) => id !== imageId)
      await replaceImages(db, target.id, others)
      return {}
    },
  })
}

/** Sets the given slug, or else the one that the name gives. @throws AppError 400; 404; 409 SLUG_TAKEN; 412 STALE */
export function setSlug(deps: Deps, actor: Actor, target: Target, wanted?: string): Promise<ProductCard> {
  return editProduct(deps, actor, target, {
    // The sync locks slugs before products, too.
    before: (trx) => lockSlugs(trx, 'product'),
    apply: async (tx, row) => {
      const slug = await reserveSlug(tx, 'product', row, wanted)
      return slug === row.slug ? {} : { slug }
    },
  })
}
