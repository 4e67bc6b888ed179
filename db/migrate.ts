import fs from 'node:fs/promises'
import path from 'node:path'
import { FileMigrationProvider, Migrator } from 'kysely/migration'
import { openDatabase } from './database.ts'

const migrationFolder = path.join(import.meta.dirname, 'migrations')

/**
 * Brings the schema up to date with the files of db/migrations, in the order of their names. Instances that start
 * together wait for each other on the migrator's advisory lock; a failed migration is rolled back. Released migrations
 * are never edited or renamed.
 * @returns the names of the migrations it applied
 * @throws the failed migration's error
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const { db, close } = openDatabase(databaseUrl, () => {}, { max: 2, queryTimeoutMs: 0 })
  try {
    const provider = new FileMigrationProvider({ fs, path, migrationFolder })
    const { error, results } = await new Migrator({ db, provider }).migrateToLatest()
    if (error) throw error
    return (results ?? []).map((result) => result.migrationName)
  } finally {
    await close()
  }
}
