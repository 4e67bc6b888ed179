import { type Static, Type } from '@sinclair/typebox'
import { OFFER_FIELDS } from '../rules/pipeline/digests.ts'
import * as t from './common.ts'
import { Page } from './lists.ts'

/** Contract section 9, "Pipeline". */
export const Snapshot = t.NamedObject('Snapshot', 'A snapshot of the feed', {
  id: t.Id('Id of the snapshot'),
  runId: t.Id('Run that created it'),
  createdAt: t.Timestamp('Time of creation'),
  sha256: t.Text(
    'SHA-256 of the uncompressed feed',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ),
  size: t.Count('Uncompressed size of the feed in bytes'),
  offers: t.Count('Number of offers'),
  categories: t.Count('Number of categories'),
})
export type Snapshot = Static<typeof Snapshot>

export const SnapshotPage = Page(Snapshot)

const OfferField = t.NamedEnum(
  'OfferField',
  'Part of an offer; `other`: all elements not listed',
  OFFER_FIELDS,
)

const OfferSummary = t.NamedObject('OfferSummary', 'Summary of an offer', {
  id: t.Text("The feed's id of the offer", 'T101160'),
  name: t.Text('Name', 'Перфоратор Тармекс ПЕ-1400'),
  price: t.Nullable(t.Money('Price; null: none, or not a number')),
})

const ChangedOffer = t.NamedObject('ChangedOffer', 'An offer whose content differs between the snapshots', {
  ...OfferSummary.properties,
  priceBefore: t.Nullable(t.Money('Price in the previous snapshot; null: none, or not a number', 4299)),
  fields: Type.Array(t.ref(OfferField), {
    description: 'Parts that differ',
    examples: [['price', 'available']],
  }),
})

export const SnapshotDiff = t.NamedObject('SnapshotDiff', 'Differences from the previous snapshot', {
  snapshotId: t.Id('Id of this snapshot'),
  previousId: t.Nullable(t.Id('Id of the previous snapshot; null: there is none, and all offers are new')),
  counts: Type.Object(
    {
      new: t.Count('Offers only in this snapshot'),
      gone: t.Count('Offers only in the previous snapshot'),
      changed: t.Count('Offers with different content'),
      unchanged: t.Count('Identical offers'),
    },
    { description: 'Total numbers, not limited like the lists' },
  ),
  new: t.List(OfferSummary, 'The first `limit` offers by id'),
  gone: t.List(OfferSummary, 'The first `limit` offers by id'),
  changed: t.List(ChangedOffer, 'The first `limit` offers by id'),
})
export type SnapshotDiff = Static<typeof SnapshotDiff>

export const SnapshotDiffQuery = Type.Object({
  limit: Type.Integer({
    minimum: 0,
    maximum: 1000,
    default: 100,
    description: 'Maximum length of each list',
  }),
})
