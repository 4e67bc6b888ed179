import { PUBLICATION_KINDS } from '../../db/tables/publications.ts'
import { write } from '../../src/runtime/write.ts'
import { emptyTables } from './database.ts'
import type { TestShop } from './shop.ts'

/** Removes the catalogue and what was published of it. */
export async function emptyCatalogue({ deps }: TestShop): Promise<void> {
  const tables = 'publications, publication_requests, products, categories, brands, tags, slug_history'
  await emptyTables(deps.db, tables)
  // Invalidates what the shop knows of them.
  await write(deps, async (tx) => {
    for (const kind of PUBLICATION_KINDS) tx.recordChange(kind, [0])
  })
}
