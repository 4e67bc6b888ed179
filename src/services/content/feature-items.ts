import { violates } from '../../../db/errors.ts'
import * as rows from '../../../db/queries/content/feature-items.ts'
import type { Deps } from '../../deps.ts'
import { found, invalid, missingRecord } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { imageUrl } from '../../rules/media/urls.ts'
import { textOrNull } from '../../rules/text.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import {
  type FeatureItem,
  type FeatureItemInput,
  FeatureItems,
  type StaffFeatureItem,
} from '../../schemas/feature-items.ts'
import type { PartQuery } from '../../schemas/lists.ts'
import { answerPart } from '../catalogue/answers.ts'

/** Lists the features to show. */
export function listActiveFeatureItems(deps: Deps, query: PartQuery): Promise<EncodedBody> {
  return answerPart(deps, 'features', query, FeatureItems, async () => {
    const listed = await rows.listActiveFeatureItems(deps.db, query)
    return { rows: listed.rows.map(toFeatureItem), total: listed.total }
  })
}

export async function listFeatureItems({ db }: Deps): Promise<StaffFeatureItem[]> {
  return (await rows.listFeatureItems(db)).map(toStaffFeatureItem)
}

/** @throws AppError 404 */
export async function getFeatureItem({ db }: Deps, id: number): Promise<StaffFeatureItem> {
  return toStaffFeatureItem(found(await rows.findFeatureItem(db, id), 'feature'))
}

/** @throws AppError 400, also for an unknown image */
export function createFeatureItem(deps: Deps, actor: Actor, input: FeatureItemInput): Promise<StaffFeatureItem> {
  return write(deps, async (tx) => {
    const row = await rows.insertFeatureItem(tx.db, toValues(input)).catch(explain)
    tx.recordChange('feature', [row.id])
    tx.audit({ actor, entity: 'FEATURE', entityId: row.id, before: null, after: toStaffFeatureItem(row) })
    return toStaffFeatureItem(row)
  })
}

/** @throws AppError 400, also for an unknown image; 404; 412 STALE */
export function updateFeatureItem(
  deps: Deps,
  actor: Actor,
  target: Target,
  input: FeatureItemInput,
): Promise<StaffFeatureItem> {
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    const values = toValues(input)
    const current = toStaffFeatureItem(before)
    if (!hasChanges(before, values)) return current
    const after = toStaffFeatureItem(await rows.updateFeatureItem(tx.db, target.id, values).catch(explain))
    tx.recordChange('feature', [target.id])
    tx.audit({ actor, entity: 'FEATURE', entityId: target.id, before: current, after })
    return after
  })
}

/** @throws AppError 404; 412 STALE */
export function deleteFeatureItem(deps: Deps, actor: Actor, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    await rows.deleteFeatureItem(tx.db, target.id)
    tx.recordChange('feature', [target.id])
    tx.audit({ actor, entity: 'FEATURE', entityId: target.id, before: toStaffFeatureItem(before), after: null })
  })
}

async function lockCurrent(tx: UnitOfWork, { id, ifMatch }: Target): Promise<rows.FeatureItemRow> {
  const row = found(await rows.lockFeatureItem(tx.db, id), 'feature')
  await refuseStale(ifMatch, row.version, () => toStaffFeatureItem(row))
  return row
}

function explain(error: unknown): never {
  throw violates(error, 'feature_items_image_id_fkey') ? invalid(missingRecord('imageId')) : error
}

/** The columns that an input sets; an undefined one keeps its value, or gets its default. */
function toValues(input: FeatureItemInput) {
  return {
    title: input.title.trim(),
    description: textOrNull(input.description),
    icon: textOrNull(input.icon),
    image_id: input.imageId,
    link_url: textOrNull(input.linkUrl),
    display_order: input.displayOrder,
    active: input.active,
  }
}

function toFeatureItem(row: rows.FeatureItemRow): FeatureItem {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    icon: row.icon,
    imageId: row.image_id,
    imageUrl: row.image && imageUrl(row.image),
    linkUrl: row.link_url,
    displayOrder: row.display_order,
  }
}

function toStaffFeatureItem(row: rows.FeatureItemRow): StaffFeatureItem {
  return {
    ...toFeatureItem(row),
    active: row.active,
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
