import { existsSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { readSnapshot } from '../../db/backup/snapshot.ts'
import { createStorage } from '../clients/storage/configured.ts'
import { flushFolder } from '../clients/storage/files.ts'
import type { Storage } from '../clients/storage/storage.ts'
import { codeOf, messageOf, StartError } from '../errors.ts'
import { type ArchiveWriter, createArchive } from './archive.ts'
import { type Place, runCommand } from './command.ts'

/**
 * Writes database and stored files to one archive, while the shop may run. Most files are copied before the snapshot of the
 * rows, since the shop may delete some that it names; files added meanwhile are copied after it. Objects in S3 are only
 * listed: the bucket has tools of its own.
 * @throws Error if the file exists; nothing is left of a failed backup
 */
export async function backUp(place: Place, databaseUrl: string, path: string) {
  const part = `${path}.part`
  if (existsSync(path)) throw new StartError(`${path} exists: choose another name.`)
  // Readable by its owner only.
  const file = await open(part, 'wx', 0o600).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw new StartError(`${part} can't be written (${messageOf(error)}).`)
    throw new StartError(`${part} exists: another backup is writing it, or was killed; if so, delete the file.`)
  })
  const archive = createArchive(file.createWriteStream({ flush: true }))
  const storage = createStorage(place)
  try {
    const stored = new Set<string>()
    if (!place.s3) await addFiles(archive, storage, stored)
    const state = await readSnapshot(databaseUrl, (table, rows) => archive.addLines(`tables/${table}`, rows))
    if (place.s3)
      await archive.addLines(
        'objects',
        Readable.from(storage.list('')).map(({ key }) => Buffer.from(`${key}\n`)),
      )
    else await addFiles(archive, storage, stored)
    await archive.finish({ format: 2, createdAt: new Date().toISOString(), ...state, files: stored.size })
    await rename(part, path)
    await flushFolder(dirname(path))
    return {
      bytes: (await stat(path)).size,
      tables: state.tables.length,
      rows: state.tables.reduce((sum, { rows }) => sum + rows, 0),
      files: stored.size,
    }
  } catch (error) {
    await archive.abort()
    await rm(part, { force: true })
    throw error
  } finally {
    storage.close()
  }
}

/** Adds the stored files that the archive doesn't have yet. */
async function addFiles(archive: ArchiveWriter, storage: Storage, stored: Set<string>): Promise<void> {
  for await (const { key } of storage.list('')) {
    const file = stored.has(key) ? null : await storage.open(key)
    // It may have been deleted since.
    if (!file) continue
    await archive.add(`files/${key}`, await buffer(file))
    stored.add(key)
  }
}

if (import.meta.main) await runCommand('backup', backUp)
