import * as images from '../../../db/queries/media/images.ts'
import type { ImageRow } from '../../../db/tables/content.ts'
import type { Deps } from '../../deps.ts'
import { conflict, found, MAX_FAULTS } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import type { Fault } from '../../rules/faults/sentences.ts'
import { fold } from '../../rules/fold.ts'
import { imageUrl } from '../../rules/media/urls.ts'
import { write } from '../../runtime/write.ts'
import type { Image, ImageQuery } from '../../schemas/images.ts'
import { type Page, toPage } from '../../schemas/lists.ts'
import { auditedImage, deleteObjects, inspectImage, type SentImage, storeImage, withObject } from './store.ts'

/** An upload whose body is received when its turn in the queue has come. */
export type Upload = { receive: () => Promise<SentImage>; signal: AbortSignal }

export async function listImages({ db }: Deps, query: ImageQuery): Promise<Page<Image>> {
  const sort = query.sort ?? { field: 'createdAt', descending: true }
  const filter = { ids: query.ids, unused: query.unused, search: fold(query.search ?? '') }
  const { rows, total } = await images.listImages(db, filter, sort, query)
  const uses = await usesOf(db, rows)
  return toPage({ rows, total }, query, (row) => toImage(row, uses))
}

/**
 * Adds an image to the library, or returns the existing one with the same bytes.
 * @throws AppError 400; 413; 415; 503 when too many uploads are waiting
 */
export function uploadImage(deps: Deps, actor: Actor, { receive, signal }: Upload) {
  return deps.uploadQueue.run(async () => {
    const { created, ...row } = await storeImage(deps, await receive(), actor)
    return { created, image: await withUses(deps, row) }
  }, signal)
}

/**
 * Replaces the bytes of an image under the same id.
 * @throws AppError 404; see uploadImage
 */
export function replaceImage(deps: Deps, actor: Actor, id: number, { receive, signal }: Upload) {
  return deps.uploadQueue.run(async () => {
    found(await images.findImage(deps.db, id), 'image')
    const { bytes, values } = await inspectImage(deps, await receive())
    const replaced = await withObject(deps, bytes, values.content_type, async (tx, storageKey) => {
      const before = found(await images.lockImage(tx.db, id), 'image')
      const isNew = before.sha256 !== values.sha256
      const changes = isNew
        ? { ...values, storage_key: storageKey, drawn_ahead: false }
        : { file_name: values.file_name }
      const after = await images.updateImage(tx.db, id, changes)
      tx.recordChange('image', [id])
      // They show its address, width and height.
      if (isNew)
        for (const use of await images.listImageUses(tx.db, id)) tx.recordChange(CHANGED_BY[use.type], [use.id])
      const audited = { before: auditedImage(before), after: auditedImage(after) }
      tx.audit({ actor, entity: 'IMAGE', entityId: id, ...audited })
      return { row: after, unused: isNew ? before.storage_key : null }
    })
    if (replaced.unused !== null) await deleteObjects(deps, replaced.unused)
    return withUses(deps, replaced.row)
  }, signal)
}

const USED_BY = {
  PRODUCT: 'USED_BY_PRODUCT',
  BANNER: 'USED_BY_BANNER',
  FEATURE: 'USED_BY_FEATURE',
  BRAND: 'USED_BY_BRAND',
} as const
const CHANGED_BY = { PRODUCT: 'product', BANNER: 'banner', FEATURE: 'feature', BRAND: 'brand' } as const

/**
 * Deletes an image.
 * @param force delete it although it is in use; its uses then have no image
 * @throws AppError 404; 409 IMAGE_IN_USE with its uses as faults
 */
export async function deleteImage(deps: Deps, actor: Actor, { id, force }: { id: number; force: boolean }) {
  const storageKey = await write(deps, async (tx) => {
    // No other transaction can add a use of it.
    const row = found(await images.lockImage(tx.db, id), 'image')
    const usedBy = (await usesOf(tx.db, [row])).get(id) ?? []
    if (usedBy.length > 0 && !force) throw inUse(usedBy)
    for (const use of await images.deleteImage(tx.db, id)) tx.recordChange(CHANGED_BY[use.type], [use.id])
    tx.recordChange('image', [id])
    const before = { ...auditedImage(row), usedBy }
    tx.audit({ actor, entity: 'IMAGE', entityId: id, before, after: null })
    return row.storage_key
  })
  await deleteObjects(deps, storageKey)
}

function inUse(usedBy: Image['usedBy']) {
  const faults = usedBy
    .slice(0, MAX_FAULTS)
    .map(({ type, id, name }, index): Fault => ({ path: `usedBy.${index}`, code: USED_BY[type], params: { id, name } }))
  return conflict('IMAGE_IN_USE', 'The image is in use', { faults })
}

async function withUses({ db }: Deps, row: ImageRow): Promise<Image> {
  return toImage(row, await usesOf(db, [row]))
}

type Uses = Map<number, Image['usedBy']>

async function usesOf(db: Deps['db'], rows: ImageRow[]): Promise<Uses> {
  const ids = rows.map(({ id }) => id)
  const byImage = Map.groupBy(await images.findImageUses(db, ids), ({ imageId }) => imageId)
  return new Map([...byImage].map(([id, uses]) => [id, uses.map(({ imageId: _, ...use }) => use)]))
}

function toImage(row: ImageRow, uses: Uses): Image {
  return {
    id: row.id,
    url: imageUrl(row),
    fileName: row.file_name,
    contentType: row.content_type,
    size: row.size,
    width: row.width,
    height: row.height,
    sha256: row.sha256,
    createdAt: row.created_at.toISOString(),
    usedBy: uses.get(row.id) ?? [],
  }
}
