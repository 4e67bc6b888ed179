import { lockWork } from '../../../db/locks.ts'
import { allocateSlugs, findOwnSlug, findSlugOwner, insertSlug } from '../../../db/queries/catalogue/slugs.ts'
import type { SlugKind } from '../../../db/tables/slug-history.ts'
import { conflict } from '../../errors.ts'
import { readSlug, slugBase } from '../../rules/catalogue/slugs.ts'
import type { UnitOfWork } from '../../runtime/write.ts'

/**
 * Reserves a slug for a new or locked record (contract section 4, "Slugs"): the wanted one, or else one generated from its
 * name. The record may take its own former slugs again. The caller writes the record's row.
 * @throws AppError 400; 409 SLUG_TAKEN when another record has or had the wanted one
 */
export async function reserveSlug(
  { db }: UnitOfWork,
  kind: SlugKind,
  { id, name }: { id: number; name: string },
  wanted?: string,
): Promise<string> {
  const chosen = wanted === undefined ? null : readSlug(wanted)
  await lockWork(db, `${kind}Slugs`)
  if (chosen !== null) {
    const owner = await findSlugOwner(db, kind, chosen.slug)
    if (owner !== null && owner !== id)
      throw conflict('SLUG_TAKEN', `${wanted} is or was the slug of another`)
    await insertSlug(db, kind, id, chosen)
    return chosen.slug
  }
  const own = await findOwnSlug(db, kind, { id, base: slugBase(name) || `${kind}-${id}` })
  if (own?.suffix === 1) return own.slug
  const [free] = await allocateSlugs(db, kind, [{ id, name }])
  if (free === undefined) throw new Error('No slug was allocated')
  // An existing slug is better than a new one with a higher number.
  if (own !== undefined && own.suffix < free.suffix) return own.slug
  await insertSlug(db, kind, id, free)
  return free.slug
}
