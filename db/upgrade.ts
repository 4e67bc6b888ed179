import { sql } from 'kysely'
import type { Db } from './database.ts'

// Databases and archives of 0.1.0. This file, and what names it, can be deleted in the version that no longer reads them (2.0.0).

/** The last of the 47 migrations of 0.1.0, which those of BASELINE replace. */
export const LAST_OF_0_1 = '2026-11-26T0553-unused-parts'

/** What 1.0.0 began with. */
export const BASELINE = [
  '2026-11-28T0600-accounts',
  '2026-11-28T0601-catalogue',
  '2026-11-28T0602-orders',
  '2026-11-28T0603-content',
  '2026-11-28T0604-pipeline',
  '2026-11-28T0605-operations',
] as const

/** How many of the migrations of 0.1.0 are among these. SOME: without the last one. */
export function migrationsOf01(names: string[]): 'NONE' | 'SOME' | 'ALL' {
  if (names.includes(LAST_OF_0_1)) return 'ALL'
  return names.some((name) => name < BASELINE[0]) ? 'SOME' : 'NONE'
}

/** Makes of a schema of 0.1.0 that of BASELINE, and forgets the migrations of 0.1.0. */
export async function up(db: Db): Promise<void> {
  await sql`alter table sync_runs add column waits_for_acceptance boolean not null default false`.execute(db)
  await sql`
    update sync_runs set waits_for_acceptance = true
    where array_to_string(warnings, ' ') like '%none was made inactive.%'`.execute(db)
  await sql`alter table webhooks drop column lease, drop column leased_until`.execute(db)
  await sql`drop function attribute_hash`.execute(db)
  await sql`alter sequence yml_feeds_id_seq rename to publications_id_seq`.execute(db)
  await sql`delete from kysely_migration where name collate "C" <= ${LAST_OF_0_1}`.execute(db)
}

/** Makes of the schema of BASELINE one that takes the rows and sequences of an archive of 0.1.0, for `up` to follow. */
export async function down(db: Db): Promise<void> {
  await sql`alter table sync_runs drop column waits_for_acceptance`.execute(db)
  await sql`alter table webhooks add column lease int not null default 0, add column leased_until timestamptz`.execute(
    db,
  )
  await sql`
    create function attribute_hash(name text, value text) returns bigint
    language sql immutable strict parallel safe return hashtextextended(value, hashtextextended(name, 0))`.execute(db)
  await sql`alter sequence publications_id_seq rename to yml_feeds_id_seq`.execute(db)
}
