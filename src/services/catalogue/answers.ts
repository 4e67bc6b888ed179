import { findBySlug } from '../../../db/queries/catalogue/slugs.ts'
import type { SlugKind } from '../../../db/tables/catalogue.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import { type EncodedBody, jsonBody } from '../../runtime/cache/encoded-body.ts'

/** The answer about the record, or its current slug. */
export type BySlug = { body: EncodedBody } | { movedTo: string }

/** Returns an answer that anybody may read: to the public from the cache, to staff always a new one. */
export function answer({ cached }: Deps, key: string, staff: boolean, load: () => Promise<object>) {
  const create = async () => jsonBody(await load())
  return staff ? create() : cached.answers.get(key, create)
}

/**
 * Answers about the record that has the slug or, unless it is a tag, once had it (contract section 4, "Slugs").
 * @param get answers about the record of an id; throws AppError 404 if the caller may not see it
 * @throws AppError 404
 */
export async function answerBySlug(
  { db, cached }: Deps,
  kind: SlugKind,
  slug: string,
  get: (id: number) => Promise<EncodedBody>,
): Promise<BySlug> {
  const find = async () => (await findBySlug(db, kind, slug)) ?? null
  const owner = found(await cached.slugs.get(`${kind} ${slug}`, find), kind)
  // Before a redirect, too: it would reveal the slug of a hidden record.
  const body = await get(owner.id)
  return owner.slug === slug ? { body } : { movedTo: owner.slug }
}
