import { type Static, Type } from '@sinclair/typebox'
import { OFFER_FIELDS } from '../rules/pipeline/digests.ts'
import { Count, Id, List, Money, NamedEnum, NamedObject, Nullable, ref, Text, Timestamp } from './common.ts'
import { Page } from './lists.ts'

/** Contract section 9, "Pipeline". */
export const Snapshot = NamedObject('Snapshot', 'A snapshot of the feed', {
  id: Id('Id of the snapshot'),
  runId: Id('Run that created it'),
  createdAt: Timestamp('Time of creation'),
  sha256: Text(
    'SHA-256 of the uncompressed feed',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ),
  size: Count('Uncompressed size of the feed in bytes'),
  offers: Count('Number of offers'),
  categories: Count('Number of categories'),
})
export type Snapshot = Static<typeof Snapshot>

export const SnapshotPage = Page(Snapshot)

export const OfferField = NamedEnum(
  'OfferField',
  'Part of an offer; `other`: all elements not listed',
  OFFER_FIELDS,
)

export const OfferSummary = NamedObject('OfferSummary', 'Summary of an offer', {
  id: Text("The feed's id of the offer", 'T101160'),
  name: Text('Name', 'Перфоратор Тармекс ПЕ-1400'),
  price: Nullable(Money('Price; null: none, or not a number')),
})

export const ChangedOffer = NamedObject(
  'ChangedOffer',
  'An offer whose content differs between the snapshots',
  {
    ...OfferSummary.properties,
    priceBefore: Nullable(Money('Price in the previous snapshot; null: none, or not a number', 4299)),
    fields: Type.Array(ref(OfferField), {
      description: 'Parts that differ',
      examples: [['price', 'available']],
    }),
  },
)

export const SnapshotDiff = NamedObject('SnapshotDiff', 'Differences to the previous snapshot', {
  snapshotId: Id('Id of this snapshot'),
  previousId: Nullable(Id('Id of the previous snapshot; null: there is none, and all offers are new')),
  counts: Type.Object(
    {
      new: Count('Offers only in this snapshot'),
      gone: Count('Offers only in the previous snapshot'),
      changed: Count('Offers with different content'),
      unchanged: Count('Identical offers'),
    },
    { description: 'Total numbers, not limited like the lists' },
  ),
  new: List(OfferSummary, 'The first `limit` offers by id'),
  gone: List(OfferSummary, 'The first `limit` offers by id'),
  changed: List(ChangedOffer, 'The first `limit` offers by id'),
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
