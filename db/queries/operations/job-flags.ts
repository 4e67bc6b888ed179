import type { Db } from '../../database.ts'

/** Inserts the settings that have no row. @returns their keys */
export async function insertMissingFlags(
  db: Db,
  flags: { key: string; value: string; description: string }[],
): Promise<string[]> {
  const inserted = await db
    .insertInto('app_config')
    .values(flags)
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .execute()
  return inserted.map(({ key }) => key)
}
