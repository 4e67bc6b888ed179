import { type Static, Type } from '@sinclair/typebox'
import { OFFER_FIELDS } from '../rules/pipeline/digests.ts'
import { Count, described, Enum, Id, Money, Nullable, Page, ref, Timestamp } from './common.ts'

const EXAMPLE = {
  id: 5,
  runId: 5,
  createdAt: '2026-11-23T10:00:01.420Z',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  size: 3_518_204,
  offers: 1960,
  categories: 24,
}

/** Contract section 9, "Pipeline". */
export const Snapshot = Type.Object(
  {
    id: described(Id, 'Id of the snapshot'),
    runId: described(Id, 'Run that created it'),
    createdAt: described(Timestamp, 'Time of creation'),
    sha256: Type.String({ description: 'SHA-256 of the uncompressed feed' }),
    size: described(Count, 'Uncompressed size of the feed in bytes'),
    offers: described(Count, 'Number of offers'),
    categories: described(Count, 'Number of categories'),
  },
  { $id: 'Snapshot', description: 'A snapshot of the feed', examples: [EXAMPLE] },
)
export type Snapshot = Static<typeof Snapshot>

export const SnapshotPage = Page(Snapshot)

export const OfferField = Enum(OFFER_FIELDS, {
  $id: 'OfferField',
  description: 'Part of an offer; `other`: all elements not listed',
})

export const OfferSummary = Type.Object(
  {
    id: Type.String({ description: "The feed's id of the offer" }),
    name: Type.String({ description: 'Name' }),
    price: Nullable(described(Money, 'Price; null: none, or not a number')),
  },
  {
    $id: 'OfferSummary',
    description: 'Summary of an offer',
    examples: [{ id: 'T101160', name: 'Перфоратор Тармекс ПЕ-1400', price: 4554.99 }],
  },
)

export const ChangedOffer = Type.Object(
  {
    ...OfferSummary.properties,
    priceBefore: Nullable(described(Money, 'Price in the previous snapshot; null: none, or not a number')),
    fields: Type.Array(ref(OfferField), { description: 'Parts that differ' }),
  },
  {
    $id: 'ChangedOffer',
    description: 'An offer whose content differs between the snapshots',
    examples: [
      {
        id: 'T101160',
        name: 'Перфоратор Тармекс ПЕ-1400',
        price: 4554.99,
        priceBefore: 4299,
        fields: ['price', 'available'],
      },
    ],
  },
)

export const SnapshotDiff = Type.Object(
  {
    snapshotId: described(Id, 'Id of this snapshot'),
    previousId: Nullable(
      described(Id, 'Id of the previous snapshot; null: there is none, and all offers are new'),
    ),
    counts: Type.Object(
      {
        new: described(Count, 'Offers only in this snapshot'),
        gone: described(Count, 'Offers only in the previous snapshot'),
        changed: described(Count, 'Offers with different content'),
        unchanged: described(Count, 'Identical offers'),
      },
      { description: 'Total numbers, not limited like the lists' },
    ),
    new: Type.Array(ref(OfferSummary), { description: 'The first `limit` offers by id' }),
    gone: Type.Array(ref(OfferSummary), { description: 'The first `limit` offers by id' }),
    changed: Type.Array(ref(ChangedOffer), { description: 'The first `limit` offers by id' }),
  },
  {
    $id: 'SnapshotDiff',
    description: 'Differences to the previous snapshot',
    examples: [
      {
        snapshotId: 5,
        previousId: 4,
        counts: { new: 1, gone: 0, changed: 1, unchanged: 1958 },
        new: OfferSummary.examples,
        gone: [],
        changed: ChangedOffer.examples,
      },
    ],
  },
)
export type SnapshotDiff = Static<typeof SnapshotDiff>

export const SnapshotDiffQuery = Type.Object({
  limit: Type.Integer({
    minimum: 0,
    maximum: 1000,
    default: 100,
    description: 'Maximum length of each list',
    examples: [100],
  }),
})
