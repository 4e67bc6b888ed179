import { listRecords } from '../../../db/queries/records.ts'
import type { FeatureItemRow } from '../../../db/tables/content.ts'
import type { Deps } from '../../deps.ts'
import { readLink, trimOptionalText } from '../../rules/content/links.ts'
import { imageUrlOf } from '../../rules/media/downloads.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import type { FeatureItem, FeatureItemInput, PublicFeatureItem } from '../../schemas/feature-items.ts'
import { contentAnswer } from '../catalogue/answers.ts'
import { editedFields, type RecordKind } from '../records.ts'

export const FEATURE_ITEMS: RecordKind<'feature_items', FeatureItem, FeatureItemInput> = {
  table: 'feature_items',
  name: 'feature',
  entity: 'FEATURE',
  change: 'feature',
  toWire: toFeature,
  toValues,
  references: { feature_items_image_id_fkey: 'imageId' },
}

/** Lists the active features by display order (specification, "Catalogue (public reads)"). */
export function listActiveFeatures(deps: Pick<Deps, 'db' | 'cached'>): Promise<EncodedBody> {
  return contentAnswer(deps, 'features', async () => {
    const shown = (await listRecords(deps.db, 'feature_items')).filter(({ active }) => active)
    return shown.map(toPublicFeature)
  })
}

/** Checks the fields that are given. @throws AppError 400 */
export function checkFeature({ linkUrl }: Partial<FeatureItemInput>): void {
  readLink('linkUrl', linkUrl)
}

function toValues({ title, ...optional }: FeatureItemInput) {
  return {
    title: title.trim(),
    description: trimOptionalText(optional.description),
    icon: trimOptionalText(optional.icon),
    image_id: optional.imageId,
    link_url: readLink('linkUrl', optional.linkUrl),
    display_order: optional.displayOrder,
    active: optional.active,
  }
}

function toPublicFeature(row: FeatureItemRow): PublicFeatureItem {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    icon: row.icon,
    imageId: row.image_id,
    imageUrl: imageUrlOf(row.image_id),
    linkUrl: row.link_url,
    displayOrder: row.display_order,
  }
}

function toFeature(row: FeatureItemRow): FeatureItem {
  return {
    ...toPublicFeature(row),
    active: row.active,
    ...editedFields(row),
  }
}
