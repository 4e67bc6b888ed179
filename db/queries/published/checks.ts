import type { NotNull } from 'kysely'
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

/** Lists the publications whose last build was refused, and why. */
export function listRefusals(db: Db): Promise<{ kind: PublicationKind; refusal: string }[]> {
  return db
    .selectFrom('publication_checks')
    .select(['kind', 'refusal'])
    .where('refusal', 'is not', null)
    .orderBy('kind')
    .$narrowType<{ refusal: NotNull }>()
    .execute()
}
