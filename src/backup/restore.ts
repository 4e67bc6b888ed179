import { buffer, text } from 'node:stream/consumers'
import { loadDatabase } from '../../db/backup/load.ts'
import { createStorage } from '../clients/storage/configured.ts'
import { explainStorageError } from '../start-failures.ts'
import { checkArchive, readArchive } from './archive.ts'
import { type Place, runCommand } from './command.ts'

const CONTENT_TYPE = 'application/octet-stream'
const MAX_NAMED_OBJECTS = 100

/**
 * Makes a new shop of an archive, in an empty database. The rows are committed last, so that a failed or killed attempt can
 * be repeated.
 * @returns what was restored, the migrations that the backup didn't have yet, and objects in S3 that the storage lacks
 * @throws Error for a damaged archive, one of a newer product, or a database that isn't empty: nothing is changed then
 */
export async function restore(place: Place, databaseUrl: string, path: string) {
  const manifest = await checkArchive(path)
  const storage = createStorage(place)
  const missing = new Set<string>()
  try {
    const migrated = await loadDatabase(databaseUrl, manifest, async (copy) => {
      await storage.prepare().catch((error: unknown) => {
        throw explainStorageError(error, place.s3)
      })
      await readArchive(path, async (name, body) => {
        const [folder, ...parts] = name.split('/')
        if (folder === 'files') await storage.put(parts.join('/'), await buffer(body), { contentType: CONTENT_TYPE })
        else if (folder === 'tables') await copy(parts[0] ?? '', body)
        else for (const key of (await text(body)).trimEnd().split('\n')) missing.add(key)
      })
      for await (const { key } of storage.list('')) missing.delete(key)
    })
    const { createdAt, tables, files } = manifest
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    const missingObjects = [...missing].slice(0, MAX_NAMED_OBJECTS)
    return { createdAt, tables: tables.length, rows, files, migrated, missing: missing.size, missingObjects }
  } finally {
    storage.close()
  }
}

if (import.meta.main) await runCommand('restore', restore)
