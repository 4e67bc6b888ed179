import type { Db } from '../../database.ts'
import type { PublicationKind } from '../../tables/publications.ts'

/** Records what the check of a built publication said. @param refusal why it was refused; null: it was not */
export async function recordCheck(
  db: Db,
  kind: PublicationKind,
  refusal: string | null,
  now: Date,
): Promise<void> {
  await db
    .insertInto('publication_checks')
    .values({ kind, refusal, checked_at: now })
    .onConflict((conflict) => conflict.column('kind').doUpdateSet({ refusal, checked_at: now }))
    .execute()
}

/** @returns why the last built one was refused; null: it was not */
export async function findRefusal(db: Db, kind: PublicationKind): Promise<string | null> {
  const checks = db.selectFrom('publication_checks').select('refusal').where('kind', '=', kind)
  return (await checks.executeTakeFirst())?.refusal ?? null
}
