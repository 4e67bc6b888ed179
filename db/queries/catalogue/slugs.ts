import { sql } from 'kysely'
import { type SlugParts, slugBase, slugWithSuffix } from '../../../src/rules/catalogue/slugs.ts'
import type { Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import type { SlugKind } from '../../tables/slug-history.ts'

/**
 * Free slugs for new records, in their order: from the name, else from kind and id; unique against every slug any
 * record of the kind has or had (contract section 4, "Slugs"). Until the transaction ends nobody else gets any.
 */
export async function allocateSlugs(
  trx: Trx,
  kind: SlugKind,
  records: { id: number; name: string }[],
): Promise<SlugParts[]> {
  await lockSlugs(trx, kind)
  const bases = records.map(({ id, name }) => slugBase(name) || `${kind}-${id}`)
  const lastSuffix = await readLastSuffixes(trx, kind, [...new Set(bases)])
  const next = (base: string): SlugParts => {
    const suffix = (lastSuffix.get(base) ?? 0) + 1
    lastSuffix.set(base, suffix)
    return slugWithSuffix(base, suffix)
  }
  const slugs = bases.map(next)
  // `drill` with a 2 behind it and the product «Drill 2» want the same slug: those that clash move on.
  for (let clashing = await readClashes(trx, kind, slugs); clashing.length > 0; ) {
    for (const index of clashing) slugs[index] = next(bases[index] ?? '')
    clashing = await readClashes(trx, kind, slugs)
  }
  return slugs
}

async function readLastSuffixes(trx: Trx, kind: SlugKind, bases: string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ base: string; suffix: number }>`
    select base, last.suffix
    from unnest(${bases}::text[]) base
    cross join lateral (
      select suffix from slug_history
      where kind = ${kind} and slug_history.base = base.base
      order by suffix desc limit 1
    ) last`.execute(trx)
  return new Map(rows.map(({ base, suffix }) => [base, suffix]))
}

/** Indexes of the slugs that are taken, in the table or by an earlier one of the list. */
async function readClashes(trx: Trx, kind: SlugKind, slugs: SlugParts[]): Promise<number[]> {
  const wanted = slugs.map(({ slug }) => slug)
  const { rows } = await sql<{ slug: string }>`
    select wanted.slug from unnest(${wanted}::text[]) wanted(slug)
    cross join lateral (
      select from slug_history where kind = ${kind} and slug_history.slug = wanted.slug limit 1
    ) taken`.execute(trx)
  const taken = new Set(rows.map(({ slug }) => slug))
  const clashing: number[] = []
  for (const [index, { slug }] of slugs.entries()) {
    if (taken.has(slug)) clashing.push(index)
    taken.add(slug)
  }
  return clashing
}

/** Until the transaction ends nobody else gets a slug of this kind. */
export async function lockSlugs(trx: Trx, kind: SlugKind): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCKS[`${kind}Slugs`]}::int)`.execute(trx)
}

/** Whose slug it is or was; null when it is free. */
export async function findSlugOwner(trx: Trx, kind: SlugKind, slug: string): Promise<number | null> {
  const row = await trx
    .selectFrom('slug_history')
    .select('entity_id')
    .where('kind', '=', kind)
    .where('slug', '=', slug)
    .executeTakeFirst()
  return row?.entity_id ?? null
}

/** Of the slugs that the record has or had, the one with this base that has the smallest number behind it. */
export function findOwnSlug(
  trx: Trx,
  kind: SlugKind,
  { id, base }: { id: number; base: string },
): Promise<SlugParts | undefined> {
  return trx
    .selectFrom('slug_history')
    .select(['slug', 'base', 'suffix'])
    .where('kind', '=', kind)
    .where('entity_id', '=', id)
    .where('base', '=', base)
    .orderBy('suffix')
    .executeTakeFirst()
}

/** Keeps a new slug of the record beside its former ones; one that it had before is there already. */
export async function insertSlug(trx: Trx, kind: SlugKind, id: number, slug: SlugParts): Promise<void> {
  await trx
    .insertInto('slug_history')
    .values({ kind, entity_id: id, ...slug })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Of a record that is gone, or of one whose former slugs lead nowhere: all but the one to keep. */
export async function deleteSlugs(trx: Trx, kind: SlugKind, ids: number[], keep = ''): Promise<void> {
  await trx
    .deleteFrom('slug_history')
    .where('kind', '=', kind)
    .where('entity_id', '=', sql<number>`any(${ids}::int[])`)
    .where('slug', '!=', keep)
    .execute()
}
