import { findBySlug, type SlugOwner } from '../../../db/queries/catalogue/slugs.ts'
import type { SlugKind } from '../../../db/tables/catalogue.ts'
import type { Answer, Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import { createBody, type EncodedBody, pageOf, toJsonBytes } from '../../runtime/cache/encoded-body.ts'

/** The answer about the record, or its current slug. */
export type BySlug = { body: EncodedBody } | { movedTo: string }

type ShownProduct = { id: number; available: boolean }

/** Returns an answer about the catalogue: to the public from the cache, to staff always a new one. */
export async function answer(
  { cached }: Pick<Deps, 'cached'>,
  key: string,
  staff: boolean,
  load: () => Promise<Answer>,
): Promise<EncodedBody> {
  const { body } = await (staff ? load() : cached.answers.get(key, load))
  return body
}

/**
 * The answer about the record that has or, except of tags, had a slug (contract section 4, "Slugs").
 * @param get the answer about the record
 * @throws AppError 404
 */
export async function answerBySlug(
  { db, cached }: Pick<Deps, 'db' | 'cached'>,
  kind: SlugKind,
  slug: string,
  staff: boolean,
  get: (id: number) => Promise<EncodedBody>,
  isShown = async ({ shown }: SlugOwner) => shown,
): Promise<BySlug> {
  const find = async () => {
    const owner = await findBySlug(db, kind, slug)
    return owner && (staff || (await isShown(owner))) ? owner : null
  }
  const owner = found(await (staff ? find() : cached.slugs.get(`${kind} ${slug}`, find)), kind)
  return owner.slug === slug ? { body: await get(owner.id) } : { movedTo: owner.slug }
}

/** Banners, features, reviews or public settings. */
export async function contentAnswer(
  { cached }: Pick<Deps, 'cached'>,
  key: string,
  load: () => Promise<object>,
): Promise<EncodedBody> {
  const { body } = await cached.content.get(key, async () => plain(await load()))
  return body
}

/** A page of products, which a change of any product may alter. */
export function listing(products: (ShownProduct & { json: Buffer })[], rest: object): Answer {
  return toAnswer(pageOf(products, rest), true, products)
}

/** An answer about one product. */
export function showing(product: ShownProduct, value: object): Answer {
  return toAnswer(toJsonBytes(value), false, [product])
}

/** An answer that depends on all products, such as a count. */
export function counted(value: object): Answer {
  return toAnswer(toJsonBytes(value), true)
}

/** An answer that doesn't depend on products. */
export function plain(value: object): Answer {
  return toAnswer(toJsonBytes(value), false)
}

function toAnswer(json: Buffer, anyProduct: boolean, products: ShownProduct[] = []): Answer {
  const available = new Map(products.map(({ id, available }) => [id, available]))
  return { body: createBody(json), shown: { anyProduct, available } }
}
