import { findStorageKeys } from '../../../db/queries/media/images.ts'
import type { Deps } from '../../deps.ts'
import { IMAGE_KEYS } from './store.ts'

/** Younger objects may belong to an upload that hasn't inserted its row yet. */
const MIN_AGE_MS = 3_600_000
const BATCH_SIZE = 1000

/** Deletes objects without a row, which a crash left behind. Several instances may do so at once. */
export async function deleteOrphans(deps: Deps): Promise<void> {
  const before = deps.now().getTime() - MIN_AGE_MS
  let batch: string[] = []
  let deleted = 0
  for await (const { key, modifiedAt } of deps.storage.list(IMAGE_KEYS)) {
    if (deps.tasks.stopping) return
    if (modifiedAt.getTime() < before) batch.push(key)
    if (batch.length < BATCH_SIZE) continue
    deleted += await deleteUnowned(deps, batch)
    batch = []
  }
  deleted += await deleteUnowned(deps, batch)
  if (deleted > 0) deps.log.info({ deleted }, 'orphaned image objects deleted')
}

async function deleteUnowned({ db, storage }: Deps, keys: string[]): Promise<number> {
  const ownerOf = (key: string) => key.split('/', 2).join('/')
  const owners = new Set(await findStorageKeys(db, [...new Set(keys.map(ownerOf))]))
  const unowned = keys.filter((key) => !owners.has(ownerOf(key)))
  await storage.delete(unowned)
  return unowned.length
}
