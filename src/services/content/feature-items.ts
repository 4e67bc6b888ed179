import { listRecords } from '../../../db/queries/records.ts'
import type { Deps } from '../../deps.ts'
import { readLink, trimOptionalText } from '../../rules/content/links.ts'
import { withImageUrl } from '../../rules/media/downloads.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import { FeatureItem, type FeatureItemInput, PublicFeatureItem } from '../../schemas/feature-items.ts'
import { contentAnswer } from '../catalogue/answers.ts'
import type { RecordKind } from '../records.ts'
import { toWire } from '../wire.ts'

export const FEATURE_ITEMS: RecordKind<'feature_items', FeatureItem, FeatureItemInput> = {
  table: 'feature_items',
  name: 'feature',
  entity: 'FEATURE',
  change: 'feature',
  toWire: (row) => toWire(FeatureItem, withImageUrl(row)),
  toValues,
  references: { feature_items_image_id_fkey: 'imageId' },
}

/** Lists the active features by display order (specification, "Catalogue (public reads)"). */
export function listActiveFeatures(deps: Deps): Promise<EncodedBody> {
  return contentAnswer(deps, 'features', async () => {
    const shown = (await listRecords(deps.db, 'feature_items')).filter(({ active }) => active)
    return shown.map((row) => toWire(PublicFeatureItem, withImageUrl(row)))
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
