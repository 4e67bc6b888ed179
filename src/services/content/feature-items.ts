import { listRecords } from '../../../db/queries/records.ts'
import type { Deps } from '../../deps.ts'
import { withImageUrl } from '../../rules/media/urls.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import { FeatureItem, FeatureItemInput } from '../../schemas/content-blocks.ts'
import { answer } from '../catalogue/answers.ts'
import { getRecord, type RecordKind, recordUseCases } from '../records.ts'
import { toColumns, toWire } from '../wire.ts'

const FEATURE_ITEMS: RecordKind<'feature_items', FeatureItem, FeatureItemInput> = {
  table: 'feature_items',
  name: 'feature',
  entity: 'FEATURE',
  change: 'feature',
  toWire: (row) => toWire(FeatureItem, withImageUrl(row), true),
  toValues: (input) => toColumns(FeatureItemInput, input),
  references: { feature_items_image_id_fkey: 'imageId' },
}

export function listActiveFeatureItems(deps: Deps): Promise<EncodedBody> {
  return answer(deps, 'features', false, async () => {
    const shown = (await listRecords(deps.db, 'feature_items')).filter(({ active }) => active)
    return shown.map((row) => toWire(FeatureItem, withImageUrl(row)))
  })
}

export const {
  list: listFeatureItems,
  create: createFeatureItem,
  update: updateFeatureItem,
  delete: deleteFeatureItem,
} = recordUseCases(FEATURE_ITEMS)

/** @throws AppError 404 */
export const getFeatureItem = (deps: Deps, id: number) => getRecord(deps, FEATURE_ITEMS, id)
