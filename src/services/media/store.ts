import { hash, randomUUID } from 'node:crypto'
import * as images from '../../../db/queries/media/images.ts'
import type { ImageRow } from '../../../db/tables/content.ts'
import type { Deps } from '../../deps.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { cleanFileName, IMAGE_FORMATS } from '../../rules/media/formats.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'

/** A received file, already limited to 15 MB. Its name says nothing reliable about its format. */
export type SentImage = { bytes: Buffer; fileName: string | undefined }

/**
 * Adds an image to the library (docs/content.md), or returns the existing one with the same bytes.
 * @param actor undefined: the service itself, without an audit entry
 * @throws AppError 413; 415; 503 when too many images are waiting, or the storage is down
 */
export async function storeImage(deps: Deps, sent: SentImage, actor?: Actor): Promise<ImageRow & { created: boolean }> {
  const { bytes, values } = await inspectImage(deps, sent)
  const existing = await images.lockImageOf(deps.db, values.sha256)
  if (existing) return { ...existing, created: false }
  return withObject(deps, bytes, values.content_type, async (tx, storageKey) => {
    await images.lockImageBytes(tx.db, values.sha256)
    const concurrent = await images.lockImageOf(tx.db, values.sha256)
    if (concurrent) return { ...concurrent, created: false }
    const row = await images.insertImage(tx.db, { ...values, storage_key: storageKey })
    tx.recordChange('image', [row.id])
    if (actor) {
      tx.audit({ actor, entity: 'IMAGE', entityId: row.id, before: null, after: auditedImage(row) })
    }
    return { ...row, created: true }
  })
}

/**
 * Reads the columns of an image from its bytes, and those to store: without the place where it was taken.
 * @throws AppError 413; 415; 503 when too many images are waiting
 */
export async function inspectImage({ imageWorker }: Deps, sent: SentImage) {
  const { bytes, format, width, height } = await imageWorker.inspect(sent.bytes)
  const values = {
    file_name: cleanFileName(sent.fileName, format),
    content_type: IMAGE_FORMATS[format].contentType,
    size: bytes.length,
    width,
    height,
    sha256: hash('sha256', bytes),
  }
  return { bytes, values }
}

export function originalKey(storageKey: string): string {
  return `${storageKey}/original`
}

const IMAGE_KEYS = 'images/'

/**
 * Stores the bytes under a new key, then runs the work that inserts the reference to them. The object is deleted again
 * when the work fails or doesn't need it; `deleteOrphans` deletes what a crash leaves behind.
 */
export async function withObject<T>(
  deps: Deps,
  bytes: Buffer,
  contentType: string,
  work: (tx: UnitOfWork, storageKey: string) => Promise<T>,
): Promise<T> {
  const storageKey = `${IMAGE_KEYS}${randomUUID()}`
  await deps.storage.put(originalKey(storageKey), bytes, { contentType })
  try {
    return await write(deps, (tx) => work(tx, storageKey))
  } finally {
    // Read back, since a commit may have succeeded although its response was lost.
    const referenced = await images.findStorageKeys(deps.db, [storageKey]).catch(() => [storageKey])
    if (referenced.length === 0) await deleteObjects(deps, storageKey)
  }
}

/** Deletes an original and its variants; after a failure `deleteOrphans` does. */
export async function deleteObjects({ storage, log }: Deps, storageKey: string): Promise<void> {
  try {
    const found = await Array.fromAsync(storage.list(`${storageKey}/`))
    await storage.delete(found.map(({ key }) => key))
  } catch (error) {
    log.warn({ err: error, storageKey }, 'image objects not deleted')
  }
}

export function auditedImage({ file_name, content_type, size, width, height, sha256 }: ImageRow) {
  return { fileName: file_name, contentType: content_type, size, width, height, sha256 }
}

/** A younger object may belong to an upload that hasn't inserted its row yet. */
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
  const owners = new Set(await images.findStorageKeys(db, [...new Set(keys.map(ownerOf))]))
  const unowned = keys.filter((key) => !owners.has(ownerOf(key)))
  await storage.delete(unowned)
  return unowned.length
}
