import { readFile } from 'node:fs/promises'
import { queryAll } from './backups.ts'
import { createTestDatabase } from './database.ts'

/** Creates a database of 0.1.0, with a shop in it. */
export async function createDatabaseOf01() {
  const database = await createTestDatabase({ migrated: false })
  await queryAll(database.url, await readFile(new URL('../db/fixtures/0.1.0.sql', import.meta.url), 'utf8'))
  return database
}
