import { createHash, randomUUID } from 'node:crypto'
import * as images from '../../../db/queries/media/images.ts'
import type { ImageRow } from '../../../db/tables/images.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { cleanFileName, IMAGE_FORMATS, MAX_IMAGE_BYTES } from '../../rules/media/formats.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'

type StoreDeps = Pick<Deps, 'db' | 'changes' | 'storage' | 'pictures' | 'log'>

/** A file as it came; what it is called proves nothing. */
export type SentImage = { bytes: Buffer; fileName: string | undefined }

/** `created` is false when the library had the bytes already. */
type StoredImage = { id: number; created: boolean }

/**
 * Puts an image into the library (contract section 7). The same bytes are stored once: what has them already is
 * answered. The object comes first, then the row: neither stays without the other.
 * @param actor who uploaded it; undefined: the service itself, and no audit entry
 * @throws AppError 415, 413; 503 when too much is waiting, or the storage is down
 */
export async function storeImage(deps: StoreDeps, sent: SentImage, actor?: UserRow): Promise<StoredImage> {
  const values = await inspectImage(deps, sent)
  const known = await images.findImageOf(deps.db, values.sha256)
  if (known) return { id: known.id, created: false }
  return withObject<StoredImage>(deps, sent.bytes, values.content_type, async (tx, storageKey) => {
    await images.lockImageBytes(tx.db, values.sha256)
    const faster = await images.findImageOf(tx.db, values.sha256)
    if (faster) return { kept: false, result: { id: faster.id, created: false } }
    const row = await images.insertImage(tx.db, { ...values, storage_key: storageKey })
    tx.recordChange('image', [row.id])
    if (actor) {
      tx.audit({ actor, entity: 'IMAGE', entityId: row.id, before: null, after: auditedImage(row) })
    }
    return { kept: true, result: { id: row.id, created: true } }
  })
}

/**
 * What the bytes say of themselves.
 * @throws AppError 415, 413; 503 when too much is waiting
 */
export async function inspectImage({ pictures }: Pick<Deps, 'pictures'>, { bytes, fileName }: SentImage) {
  if (bytes.length > MAX_IMAGE_BYTES) throw tooLarge()
  const { format, width, height } = await pictures.inspect(bytes)
  return {
    file_name: cleanFileName(fileName, format),
    content_type: IMAGE_FORMATS[format].contentType,
    size: bytes.length,
    width,
    height,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }
}

function tooLarge(): AppError {
  const megabytes = MAX_IMAGE_BYTES / 1024 / 1024
  return new AppError(413, 'PAYLOAD_TOO_LARGE', `The image has more than ${megabytes} MB`)
}

/** Where the original lies. */
export function originalKey(storageKey: string): string {
  return `${storageKey}/original`
}

/** What the keys of all images begin with. */
export const IMAGE_KEYS = 'images/'

/**
 * Stores the bytes under a key of their own, then does the work that refers to them; when it doesn't, or fails, the
 * object goes again. What even that fails to delete is found by `deleteOrphans`.
 */
export async function withObject<T>(
  deps: StoreDeps,
  bytes: Buffer,
  contentType: string,
  work: (tx: UnitOfWork, storageKey: string) => Promise<{ kept: boolean; result: T }>,
): Promise<T> {
  const storageKey = `${IMAGE_KEYS}${randomUUID()}`
  let kept = false
  try {
    await deps.storage.put(originalKey(storageKey), bytes, { contentType })
    const result = await write(deps, async (tx) => {
      const outcome = await work(tx, storageKey)
      kept = outcome.kept
      return outcome.result
    })
    if (!kept) await deleteObjects(deps, storageKey)
    return result
  } catch (error) {
    // Where only the commit's answer was lost, it may have happened: the row knows.
    if (!kept || !(await mayHave(deps, storageKey))) await deleteObjects(deps, storageKey)
    throw error
  }
}

async function mayHave({ db }: StoreDeps, storageKey: string): Promise<boolean> {
  const found = await images.findStorageKeys(db, [storageKey]).catch(() => [storageKey])
  return found.length > 0
}

/** The original and all variants; a failure leaves them to `deleteOrphans`. */
export async function deleteObjects(
  { storage, log }: Pick<Deps, 'storage' | 'log'>,
  storageKey: string,
): Promise<void> {
  try {
    const found = await Array.fromAsync(storage.list(`${storageKey}/`))
    await storage.delete(found.map(({ key }) => key))
  } catch (error) {
    log.warn({ err: error, storageKey }, 'objects of an image not deleted now; a job will')
  }
}

export function auditedImage({ file_name, content_type, size, width, height, sha256 }: ImageRow) {
  return { fileName: file_name, contentType: content_type, size, width, height, sha256 }
}
