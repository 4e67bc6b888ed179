import {
  allocateSlugs,
  findOwnSlug,
  findSlugOwner,
  insertSlug,
  lockSlugs,
} from '../../../db/queries/catalogue/slugs.ts'
import type { SlugKind } from '../../../db/tables/slug-history.ts'
import { conflict } from '../../errors.ts'
import { readSlug, slugBase } from '../../rules/catalogue/slugs.ts'
import type { UnitOfWork } from '../../runtime/write.ts'

/**
 * Reserves a slug that staff chose for a locked record; one of its own former slugs is allowed (contract section 4,
 * "Slugs"). The caller writes the record's row.
 * @throws AppError 400; 409 SLUG_TAKEN when another record has or had it
 */
export async function assignSlug(
  { db }: UnitOfWork,
  kind: SlugKind,
  id: number,
  wanted: string,
): Promise<string> {
  const slug = readSlug(wanted)
  await lockSlugs(db, kind)
  const owner = await findSlugOwner(db, kind, wanted)
  if (owner !== null && owner !== id) throw conflict('SLUG_TAKEN', `${wanted} is or was the slug of another`)
  await insertSlug(db, kind, id, slug)
  return wanted
}

/**
 * Reserves the slug that a new or locked record's name gives: one that the record has or had, or the next free one. The
 * caller writes the record's row.
 */
export async function generateSlug(
  { db }: UnitOfWork,
  kind: SlugKind,
  { id, name }: { id: number; name: string },
): Promise<string> {
  await lockSlugs(db, kind)
  const base = slugBase(name) || `${kind}-${id}`
  const own = await findOwnSlug(db, kind, { id, base })
  if (own?.suffix === 1) return own.slug
  const [free] = await allocateSlugs(db, kind, [{ id, name }])
  if (free === undefined) throw new Error('No slug was allocated')
  // Prefer the lower number, and the existing slug where the free one is no better.
  if (own !== undefined && own.suffix < free.suffix) return own.slug
  await insertSlug(db, kind, id, free)
  return free.slug
}
