import { findBySlug, type SlugOwner } from '../../../db/queries/catalogue/slugs.ts'
import type { SlugKind } from '../../../db/tables/catalogue.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import { type EncodedBody, jsonBody } from '../../runtime/cache/encoded-body.ts'

/** The answer about the record, or its current slug. */
export type BySlug = { body: EncodedBody } | { movedTo: string }

/** Returns an answer that anybody may read: to the public from the cache, to staff always a new one. */
export function answer(
  { cached }: Pick<Deps, 'cached'>,
  key: string,
  staff: boolean,
  load: () => Promise<object>,
): Promise<EncodedBody> {
  const create = async () => jsonBody(await load())
  return staff ? create() : cached.answers.get(key, create)
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
