import { type Static, Type } from '@sinclair/typebox'
import { OFFER_FIELDS } from '../rules/pipeline/digests.ts'
import { Count, described, Enum, Id, Nullable, Page, ref, Timestamp } from './common.ts'

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
    runId: described(Id, 'The run that read it'),
    createdAt: described(Timestamp, 'When it was kept'),
    sha256: Type.String({ description: 'Of the feed, unpacked' }),
    size: described(Count, 'Bytes of the feed, unpacked'),
    offers: described(Count, 'Offers in it'),
    categories: described(Count, 'Categories in it'),
  },
  { $id: 'Snapshot', description: 'The feed as it was once', examples: [EXAMPLE] },
)
export type Snapshot = Static<typeof Snapshot>

export const SnapshotPage = Page(Snapshot)

export const OfferField = Enum(OFFER_FIELDS, {
  $id: 'OfferField',
  description: 'A part of an offer; `other`: anything that has no word of its own',
})

export const OfferSummary = Type.Object(
  {
    id: Type.String({ description: "The feed's id of the offer" }),
    name: Type.String({ description: 'Its name' }),
    price: Nullable(Type.String({ description: 'Its price, as the feed writes it; null: none' })),
  },
  {
    $id: 'OfferSummary',
    description: 'An offer of the feed, in short',
    examples: [{ id: 'T101160', name: 'Перфоратор Тармекс ПЕ-1400', price: '4554.99' }],
  },
)

export const ChangedOffer = Type.Object(
  {
    ...OfferSummary.properties,
    priceBefore: Nullable(Type.String({ description: 'Its price in the snapshot before; null: none' })),
    fields: Type.Array(ref(OfferField), { description: 'What differs' }),
  },
  {
    $id: 'ChangedOffer',
    description: 'An offer that both snapshots have, with different content',
    examples: [
      {
        id: 'T101160',
        name: 'Перфоратор Тармекс ПЕ-1400',
        price: '4554.99',
        priceBefore: '4299',
        fields: ['price', 'available'],
      },
    ],
  },
)

export const SnapshotDiff = Type.Object(
  {
    snapshotId: described(Id, 'This snapshot'),
    previousId: Nullable(described(Id, 'The one before it; null: there is none, everything counts as new')),
    counts: Type.Object(
      {
        new: described(Count, 'Offers that the one before had not'),
        gone: described(Count, 'Offers that only the one before had'),
        changed: described(Count, 'Offers whose content differs'),
        unchanged: described(Count, 'Offers that are the same'),
      },
      { description: 'All of them, also those that the lists leave out' },
    ),
    new: Type.Array(ref(OfferSummary), { description: 'The first ones by their ids' }),
    gone: Type.Array(ref(OfferSummary), { description: 'The first ones by their ids' }),
    changed: Type.Array(ref(ChangedOffer), { description: 'The first ones by their ids' }),
  },
  {
    $id: 'SnapshotDiff',
    description: 'How a snapshot differs from the one before',
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
    description: 'Offers that each list names at most',
    examples: [100],
  }),
})
