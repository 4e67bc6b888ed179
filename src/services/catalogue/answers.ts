import type { Static, TSchema } from '@sinclair/typebox'
import { findBySlug } from '../../../db/queries/catalogue/slugs.ts'
import type { SlugKind } from '../../../db/tables/catalogue.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import { type EncodedBody, jsonBody } from '../../runtime/cache/encoded-body.ts'
import type { PartQuery } from '../../schemas/lists.ts'
import { serialize } from '../../schemas/serialization.ts'

type SlugOwner = { id: number; slug: string }

/** The answer about the record, or its current slug: browsers must not cache that redirect, as the record may take its former slug back. */
export type BySlug = { body: EncodedBody } | { movedTo: string }

/** Returns an answer to the public from the cache, written by its schema once. */
export function answer<T extends TSchema>(
  { cached }: Deps,
  key: string,
  schema: T,
  load: () => Promise<Static<T>>,
): Promise<EncodedBody> {
  return cached.answers.get(key, async () => jsonBody(serialize(schema, await load())))
}

/** The same of a part of a list. */
export function answerPart<T extends TSchema>(
  { cached }: Deps,
  key: string,
  { page, size }: PartQuery,
  schema: T,
  load: () => Promise<{ rows: Static<T>; total: number }>,
): Promise<EncodedBody> {
  return cached.answers.get(`${key} ${page} ${size}`, async () => {
    const { rows, total } = await load()
    return jsonBody(serialize(schema, rows), total)
  })
}

/** Returns an answer to staff, which is never cached. */
export function staffAnswer<T extends TSchema>(schema: T, value: Static<T>, total?: number): EncodedBody {
  return jsonBody(serialize(schema, value), total)
}

/** The record that has the slug or, unless it is a tag, once had it, with its current slug. @throws AppError 404 */
export async function slugOwner({ db, cached }: Deps, kind: SlugKind, slug: string): Promise<SlugOwner> {
  const find = async () => (await findBySlug(db, kind, slug)) ?? null
  return found(await cached.slugs.get(`${kind} ${slug}`, find), kind)
}

/**
 * Answers about the record of a slug, or names its current one (docs/catalogue.md).
 * @param get answers about the record of an id; throws AppError 404 if the caller may not see it
 * @throws AppError 404
 */
export async function answerBySlug(
  deps: Deps,
  kind: SlugKind,
  slug: string,
  get: (id: number) => Promise<EncodedBody>,
): Promise<BySlug> {
  const owner = await slugOwner(deps, kind, slug)
  // Before a redirect, too: it would reveal the slug of a hidden record.
  const body = await get(owner.id)
  return owner.slug === slug ? { body } : { movedTo: owner.slug }
}
