import { type Migration, Migrator } from 'kysely/migration'
import { openDatabase } from './database.ts'
import { up as foundation } from './migrations/2026-11-21-foundation.ts'
import { up as selling } from './migrations/2026-11-21-selling.ts'
import { up as auditedEntities } from './migrations/2026-11-22-audited-entities.ts'
import { up as content } from './migrations/2026-11-22-content.ts'
import { up as fullLoads } from './migrations/2026-11-22-full-loads.ts'
import { up as heldAfterDelete } from './migrations/2026-11-22-held-after-delete.ts'
import { up as licence } from './migrations/2026-11-22-licence.ts'
import { up as loginNetworks } from './migrations/2026-11-22-login-networks.ts'
import { up as orderLimits } from './migrations/2026-11-22-order-limits.ts'
import { up as dashboard } from './migrations/2026-11-23-dashboard.ts'
import { up as editing } from './migrations/2026-11-23-editing.ts'
import { up as facets } from './migrations/2026-11-23-facets.ts'
import { up as images } from './migrations/2026-11-23-images.ts'
import { up as pipeline } from './migrations/2026-11-23-pipeline.ts'
import { up as publications } from './migrations/2026-11-23-publications.ts'
import { up as scraping } from './migrations/2026-11-23-scraping.ts'
import { up as search } from './migrations/2026-11-23-search.ts'
import { up as staffCategories } from './migrations/2026-11-23-staff-categories.ts'
import { up as tagProducts } from './migrations/2026-11-23-tag-products.ts'

/** In the order of their names. Released migrations are never edited or renamed; new names carry date and time. */
export const MIGRATIONS: Record<string, Migration> = {
  '2026-11-21-foundation': { up: foundation },
  '2026-11-21-selling': { up: selling },
  '2026-11-22-audited-entities': { up: auditedEntities },
  '2026-11-22-content': { up: content },
  '2026-11-22-full-loads': { up: fullLoads },
  '2026-11-22-held-after-delete': { up: heldAfterDelete },
  '2026-11-22-licence': { up: licence },
  '2026-11-22-login-networks': { up: loginNetworks },
  '2026-11-22-order-limits': { up: orderLimits },
  '2026-11-23-dashboard': { up: dashboard },
  '2026-11-23-editing': { up: editing },
  '2026-11-23-facets': { up: facets },
  '2026-11-23-images': { up: images },
  '2026-11-23-pipeline': { up: pipeline },
  '2026-11-23-publications': { up: publications },
  '2026-11-23-scraping': { up: scraping },
  '2026-11-23-search': { up: search },
  '2026-11-23-staff-categories': { up: staffCategories },
  '2026-11-23-tag-products': { up: tagProducts },
}

/**
 * Brings the schema up to date. Instances that start together wait for each other on the migrator's advisory lock;
 * a failed migration is rolled back.
 * @returns the names of the migrations it applied
 * @throws the failed migration's error
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const { db, close } = openDatabase(databaseUrl, () => {}, { max: 2, queryTimeoutMs: 0 })
  try {
    const { error, results } = await new Migrator({
      db,
      provider: { getMigrations: async () => MIGRATIONS },
    }).migrateToLatest()
    if (error) throw error
    return (results ?? []).map((result) => result.migrationName)
  } finally {
    await close()
  }
}
