import { findStorageKeys } from '../../../db/queries/media/images.ts'
import type { Deps } from '../../deps.ts'
import { IMAGE_KEYS } from './store.ts'

/** No upload takes nearly as long from its object to its row. */
const YOUNGEST_MS = 3_600_000
const AT_ONCE = 1000

/**
 * Deletes the objects that a crash left behind: originals and variants without a row. Several instances may do so at
 * once.
 */
export async function deleteOrphans(
  deps: Pick<Deps, 'db' | 'storage' | 'tasks' | 'now' | 'log'>,
): Promise<void> {
  const before = deps.now().getTime() - YOUNGEST_MS
  let found: string[] = []
  let deleted = 0
  for await (const { key, modifiedAt } of deps.storage.list(IMAGE_KEYS)) {
    if (deps.tasks.stopping) return
    if (modifiedAt.getTime() < before) found.push(key)
    if (found.length < AT_ONCE) continue
    deleted += await deleteUnowned(deps, found)
    found = []
  }
  deleted += await deleteUnowned(deps, found)
  if (deleted > 0) deps.log.info({ deleted }, 'objects without an image deleted')
}

async function deleteUnowned({ db, storage }: Pick<Deps, 'db' | 'storage'>, keys: string[]): Promise<number> {
  const ownerOf = (key: string) => key.split('/', 2).join('/')
  const owners = new Set(await findStorageKeys(db, [...new Set(keys.map(ownerOf))]))
  const unowned = keys.filter((key) => !owners.has(ownerOf(key)))
  await storage.delete(unowned)
  return unowned.length
}
