import { type NotNull, sql } from 'kysely'
import { type SlugParts, slugBase } from '../../../src/rules/catalogue/slugs.ts'
import type { Db, Trx } from '../../database.ts'
import { prepared } from '../../prepared.ts'
import type { SlugKind } from '../../tables/catalogue.ts'

/**
 * Allocates free slugs for new records, in their order: from the name, or from kind and id, and unique among all current
 * and former slugs of the kind (docs/catalogue.md). Requires the lock of the kind's slugs.
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

async function readLastSuffixes(trx: Trx, kind: SlugKind, bases: string[]) {
  const query = trx
    .selectFrom(sql<{ base: string }>`unnest(${bases}::text[])`.as<'wanted'>(sql`wanted (base)`))
    .crossJoinLateral((eb) =>
      eb
        .selectFrom('slug_history')
        .select('suffix')
        .where('kind', '=', kind)
        .whereRef('slug_history.base', '=', 'wanted.base')
        .orderBy('suffix', 'desc')
        .limit(eb.lit(1))
        .as('last'),
    )
    .select(['wanted.base', 'last.suffix'])
  const rows = await prepared(trx, query)
  return new Map(rows.map(({ base, suffix }) => [base, suffix]))
}

/** Indexes of the slugs that are in the table, or earlier in the list. */
async function readClashes(trx: Trx, kind: SlugKind, slugs: SlugParts[]) {
  const wanted = slugs.map(({ slug }) => slug)
  const query = trx
    .selectFrom(sql<{ slug: string }>`unnest(${wanted}::text[])`.as<'wanted'>(sql`wanted (slug)`))
    .crossJoinLateral((eb) =>
      eb
        .selectFrom('slug_history')
        .where('kind', '=', kind)
        .whereRef('slug_history.slug', '=', 'wanted.slug')
        .limit(eb.lit(1))
        .as('taken'),
    )
    .select('wanted.slug')
  const rows = await prepared(trx, query)
  const taken = new Set(rows.map(({ slug }) => slug))
  const clashing: number[] = []
  for (const [index, { slug }] of slugs.entries()) {
    if (taken.has(slug)) clashing.push(index)
    taken.add(slug)
  }
  return clashing
}

const TABLES = { product: 'products', category: 'categories', tag: 'tags', brand: 'brands' } as const

/** The record that has or, except for tags, had the slug, with its present one. */
export async function findBySlug(db: Db, kind: SlugKind, slug: string) {
  const query = db
    .selectFrom('slug_history')
    .innerJoin(db.selectFrom(TABLES[kind]).select(['id', 'slug']).as('owner'), 'owner.id', 'slug_history.entity_id')
    .select(['owner.id', 'owner.slug'])
    .where('slug_history.kind', '=', kind)
    .where('slug_history.slug', '=', slug)
    // A brand in the history has a slug.
    .$narrowType<{ slug: NotNull }>()
  return (await prepared(db, query))[0]
}

/** The record's current or former slug with this base and the lowest suffix; null for none. */
export async function findOwnSlug(trx: Trx, kind: SlugKind, id: number, base: string) {
  const row = await trx
    .selectFrom('slug_history')
    .select('slug')
    .where('kind', '=', kind)
    .where('entity_id', '=', id)
    .where('base', '=', base)
    .orderBy('suffix')
    .limit(1)
    .executeTakeFirst()
  return row?.slug ?? null
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
  const slugs = trx.deleteFrom('slug_history').where('kind', '=', kind).where('entity_id', '=', id)
  await slugs.where('slug', '!=', keep).execute()
}

/** Reserves the id of a record to insert, from which its slug may be made. */
export async function reserveId(trx: Trx, kind: SlugKind): Promise<number> {
  const nextval = sql<number>`nextval(pg_get_serial_sequence(${TABLES[kind]}, 'id'))::int`
  return (await trx.selectNoFrom(nextval.as('id')).executeTakeFirstOrThrow()).id
}
