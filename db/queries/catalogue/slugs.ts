import { sql } from 'kysely'
import { type SlugParts, slugBase } from '../../../src/rules/catalogue/slugs.ts'
import type { Db, Trx } from '../../database.ts'
import { prepared } from '../../prepared.ts'
import type { SlugKind } from '../../tables/catalogue.ts'

/**
 * Allocates free slugs for new records, in their order: from the name, or from kind and id, and unique among all current
 * and former slugs of the kind (contract section 4, "Slugs"). Requires the lock of the kind's slugs.
 */
export async function allocateSlugs(
  trx: Trx,
  kind: SlugKind,
  records: { id: number; name: string }[],
): Promise<SlugParts[]> {
  if (records.length === 0) return []
  const bases = records.map(({ id, name }) => slugBase(name) || `${kind}-${id}`)
  const lastSuffix = await readLastSuffixes(trx, kind, [...new Set(bases)])
  const next = (base: string): SlugParts => {
    const suffix = (lastSuffix.get(base) ?? 0) + 1
    lastSuffix.set(base, suffix)
    return { slug: suffix === 1 ? base : `${base}-${suffix}`, base, suffix }
  }
  const slugs = bases.map(next)
  // The second «Drill» and the first «Drill 2» both want `drill-2`: those that clash try their next suffix.
  for (let clashing = await readClashes(trx, kind, slugs); clashing.length > 0; ) {
    for (const index of clashing) slugs[index] = next(bases[index] ?? '')
    clashing = await readClashes(trx, kind, slugs)
  }
  return slugs
}

async function readLastSuffixes(trx: Trx, kind: SlugKind, bases: string[]): Promise<Map<string, number>> {
  const query = sql<{ base: string; suffix: number }>`
    select base, last.suffix
    from unnest(${bases}::text[]) base
    cross join lateral (
      select suffix from slug_history
      where kind = ${kind} and slug_history.base = base.base
      order by suffix desc limit 1
    ) last`
  const rows = await prepared(trx, query)
  return new Map(rows.map(({ base, suffix }) => [base, suffix]))
}

/** Indexes of the slugs that are in the table, or earlier in the list. */
async function readClashes(trx: Trx, kind: SlugKind, slugs: SlugParts[]): Promise<number[]> {
  const wanted = slugs.map(({ slug }) => slug)
  const query = sql<{ slug: string }>`
    select wanted.slug from unnest(${wanted}::text[]) wanted(slug)
    cross join lateral (
      select from slug_history where kind = ${kind} and slug_history.slug = wanted.slug limit 1
    ) taken`
  const rows = await prepared(trx, query)
  const taken = new Set(rows.map(({ slug }) => slug))
  const clashing: number[] = []
  for (const [index, { slug }] of slugs.entries()) {
    if (taken.has(slug)) clashing.push(index)
    taken.add(slug)
  }
  return clashing
}

const TABLES = { product: 'products', category: 'categories', tag: 'tags', brand: 'brands' }

type SlugOwner = { id: number; slug: string }

/** The record that has or, except for tags, had the slug, with its present one. */
export async function findBySlug(db: Db, kind: SlugKind, slug: string): Promise<SlugOwner | undefined> {
  const query = sql<SlugOwner>`
    select owner.id, owner.slug
    from slug_history h join ${sql.table(TABLES[kind])} owner on owner.id = h.entity_id
    where h.kind = ${kind} and h.slug = ${slug}`
  return (await prepared(db, query))[0]
}

/** The record's current or former slug with this base and the lowest suffix; null for none. */
export async function findOwnSlug(trx: Trx, kind: SlugKind, id: number, base: string): Promise<string | null> {
  const { rows } = await sql<{ slug: string }>`
    select slug from slug_history where kind = ${kind} and entity_id = ${id} and base = ${base}
    order by suffix limit 1`.execute(trx)
  return rows[0]?.slug ?? null
}

/** Adds a slug to the record's history, unless it is there already. */
export async function insertSlug(trx: Trx, kind: SlugKind, id: number, slug: SlugParts): Promise<void> {
  await trx
    .insertInto('slug_history')
    .values({ kind, entity_id: id, ...slug })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Deletes the slugs of a record from the history, so that they are free again. @param keep the one to leave */
export async function deleteSlugs(trx: Trx, kind: SlugKind, id: number, keep = ''): Promise<void> {
  await sql`delete from slug_history where kind = ${kind} and entity_id = ${id} and slug <> ${keep}`.execute(trx)
}

/** Reserves the id of a record to insert, from which its slug may be made. */
export async function reserveId(trx: Trx, kind: SlugKind): Promise<number> {
  const nextval = sql<number>`nextval(pg_get_serial_sequence(${TABLES[kind]}, 'id'))::int`
  return (await trx.selectNoFrom(nextval.as('id')).executeTakeFirstOrThrow()).id
}
