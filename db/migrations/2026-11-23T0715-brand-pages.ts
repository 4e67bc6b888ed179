import { type Kysely, sql } from 'kysely'

/** What staff edit of a brand, and its slugs. The code knows the kinds of slugs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  const { rows } = await sql<{ id: number; name: string }>`select id, name from brands order by id`.execute(db)
  const slugs = JSON.stringify(slugsOf(rows))
  const incoming = sql`json_to_recordset(${slugs}::json) as i(id int, slug text, base text, suffix int)`
  await sql`update brands b set slug = i.slug from ${incoming} where b.id = i.id`.execute(db)
  await sql`
    insert into slug_history (kind, slug, entity_id, base, suffix)
    select 'brand', slug, id, base, suffix from ${incoming}`.execute(db)
}

const statements = [
  // Without slug while an older version's sync adds brands: the next sync of this version gives them one.
  `alter table brands add column slug text unique, add column description text,
    add column image_id int references images on delete set null, add column supplier_name text`,
  `create index brands_image on brands (image_id)`,
  `alter table slug_history drop constraint slug_history_kind_check`,
]

/** Transliterates the letters of Russian and Ukrainian; others become dashes. */
const LETTERS = new Map(
  (
    'а=a б=b в=v г=g д=d е=e ё=yo ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ' +
    'ш=sh щ=sch ъ= ы=y ь= э=e ю=yu я=ya і=i ї=yi є=ye ґ=g'
  )
    .split(' ')
    .map((pair): [string, string] => [pair.charAt(0), pair.slice(2)]),
)

function slugsOf(brands: { id: number; name: string }[]) {
  const taken = new Set<string>()
  return brands.map(({ id, name }) => {
    const base = baseOf(name) || `brand-${id}`
    let suffix = 1
    const slug = () => (suffix === 1 ? base : `${base}-${suffix}`)
    while (taken.has(slug())) suffix += 1
    taken.add(slug())
    return { id, slug: slug(), base, suffix }
  })
}

function baseOf(name: string): string {
  const plain = name.slice(0, 240).normalize('NFKC').toLowerCase()
  const latin = plain.replace(/[а-яёіїєґ]/g, (letter) => LETTERS.get(letter) ?? '').normalize('NFD')
  const slug = latin.replace(/\p{M}/gu, '').replace(/&/g, ' and ')
  return slug
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 110)
    .replace(/^-+|-+$/g, '')
}
