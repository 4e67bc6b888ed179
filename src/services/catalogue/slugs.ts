import {
  allocateSlugs,
  findOwnSlug,
  findSlugOwner,
  lockSlugs,
  recordSlug,
} from '../../../db/queries/catalogue/slugs.ts'
import type { SlugKind } from '../../../db/tables/slug-history.ts'
import { conflict } from '../../errors.ts'
import { readSlug, slugBase } from '../../rules/catalogue/slugs.ts'
import type { UnitOfWork } from '../../runtime/write.ts'

/**
 * Gives a locked record the slug that staff chose, one of its own former ones too (contract section 4, "Slugs"). The
 * record's row is for the caller to write.
 * @throws AppError 400; 409 SLUG_TAKEN when it is or was another record's
 */
export async function takeSlug(
  { db }: UnitOfWork,
  kind: SlugKind,
  id: number,
  wanted: string,
): Promise<string> {
  const slug = readSlug(wanted)
  await lockSlugs(db, kind)
  const owner = await findSlugOwner(db, kind, wanted)
  if (owner !== null && owner !== id) throw conflict('SLUG_TAKEN', `${wanted} is or was the slug of another`)
  await recordSlug(db, kind, id, slug)
  return wanted
}

/**
 * Gives a record, new or locked, the slug that its name makes: one that it has or had if there is one, else the next
 * that is free. The record's row is for the caller to write.
 */
export async function makeSlug(
  { db }: UnitOfWork,
  kind: SlugKind,
  { id, name }: { id: number; name: string },
): Promise<string> {
  await lockSlugs(db, kind)
  const base = slugBase(name) || `${kind}-${id}`
  const own = await findOwnSlug(db, kind, { id, base })
  if (own?.suffix === 1) return own.slug
  const [free] = await allocateSlugs(db, kind, [{ id, name }])
  if (free === undefined) throw new Error('No slug was given')
  // A smaller number than the next one is better, and of two that lead here the one that is known.
  if (own !== undefined && own.suffix < free.suffix) return own.slug
  await recordSlug(db, kind, id, free)
  return free.slug
}
