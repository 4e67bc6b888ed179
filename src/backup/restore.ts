import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { loadDatabase } from '../../db/backup/load.ts'
import { createStorage } from '../clients/storage/configured.ts'
import type { Storage } from '../clients/storage/storage.ts'
import type { EnvironmentConfig } from '../config.ts'
import { explainDatabaseError } from '../start-failures.ts'
import { checkArchive, type Manifest, readArchive } from './archive.ts'
import { runCommand } from './command.ts'

const CONTENT_TYPE = 'application/octet-stream'

const ListedObject = Type.Object({ key: Type.String(), size: Type.Integer() })

type RestoreResult = {
  createdAt: string
  tables: number
  rows: number
  files: number
  /** Migrations that the backup didn't have yet. */
  migrated: string[]
  /** Keys of objects in the list of a shop with S3 that the storage doesn't have. */
  missing: string[]
}

/**
 * Makes a new shop of an archive, in an empty database. The rows are committed last, so that a failed or killed attempt can
 * be repeated.
 * @param openDatabase returns the URL; called when the archive is known to be whole
 * @throws Error for a damaged archive, one of a newer product, or a database that isn't empty: nothing is changed then
 */
export async function restore(
  config: Pick<EnvironmentConfig, 's3' | 'dataDir'>,
  openDatabase: () => Promise<string>,
  path: string,
): Promise<RestoreResult> {
  const manifest: Manifest = await checkArchive(path)
  const databaseUrl = await openDatabase()
  const storage = createStorage(config)
  let sizes: Promise<Map<string, number>> | undefined
  const missing: string[] = []
  try {
    const migrated = await loadDatabase(databaseUrl, manifest, async (copy) => {
      await storage.prepare()
      await readArchive(path, async (name, body) => {
        const [folder, ...parts] = name.split('/')
        if (folder === 'files')
          await storage.put(parts.join('/'), await buffer(body), { contentType: CONTENT_TYPE })
        else if (folder === 'tables') await copy(parts[0] ?? '', body)
        else if (folder === 'objects') {
          sizes ??= listSizes(storage)
          missing.push(...(await findMissing(body, await sizes)))
        }
      })
    }).catch((error: unknown) => {
      throw explainDatabaseError(error, databaseUrl)
    })
    const { createdAt, tables } = manifest
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    return { createdAt, tables: tables.length, rows, files: manifest.files, migrated, missing }
  } finally {
    storage.close()
  }
}

async function listSizes(storage: Storage): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for await (const { key, size } of storage.list('')) sizes.set(key, size)
  return sizes
}

/** Finds the listed objects that don't exist or have another size. */
async function findMissing(list: Readable, sizes: Map<string, number>): Promise<string[]> {
  const missing: string[] = []
  for await (const line of createInterface({ input: list })) {
    const { key, size } = Value.Parse(ListedObject, JSON.parse(line))
    if (sizes.get(key) !== size) missing.push(key)
  }
  return missing
}

if (import.meta.main)
  await runCommand('restore', async ({ path, config, log, openDatabase }) => {
    const { missing, ...result } = await restore(config, openDatabase, resolve(path))
    for (const key of missing) log.warn({ key }, 'stored object is missing')
    log.info({ path, ...result, missing: missing.length }, 'restore finished')
  })
