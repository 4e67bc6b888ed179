import { type Static, Type } from '@sinclair/typebox'
import { FEED_STATUSES, RUN_STATUSES, SYNC_TRIGGERS, SYNC_TYPES } from '../../db/tables/sync.ts'
import { Count, described, Enum, Id, Nullable, Page, ref, Timestamp } from './common.ts'

export const SyncType = Enum(SYNC_TYPES, {
  $id: 'SyncType',
  description: 'What is read from the supplier, in the order in which a run reads it',
})
export const RunStatus = Enum(RUN_STATUSES, { $id: 'RunStatus', description: 'What became of a run' })
export const SyncTrigger = Enum(SYNC_TRIGGERS, {
  $id: 'SyncTrigger',
  description: 'What began a run: the schedule, an operator, or the first start',
})
export const FeedStatus = Enum(FEED_STATUSES, {
  $id: 'FeedStatus',
  description: 'What became of the feed: published, found unchanged, held back, or not built',
})

export const SyncState = Type.Object(
  {
    syncType: ref(SyncType),
    lastSyncTime: described(Timestamp, 'When the last successful run began: the next one asks from there'),
  },
  {
    $id: 'SyncState',
    description: 'How far a type was read',
    examples: [{ syncType: 'PRODUCTS', lastSyncTime: '2026-11-21T10:00:00.000Z' }],
  },
)
export type SyncState = Static<typeof SyncState>

export const SyncCounts = Type.Object(
  {
    syncType: ref(SyncType),
    fullLoad: Type.Boolean({ description: 'Everything was asked for, not only what changed' }),
    seen: described(Count, 'Records that the supplier sent'),
    created: described(Count, 'Records that were new'),
    updated: described(Count, 'Records that differed'),
    unchanged: described(Count, 'Records that were the same'),
    skipped: described(Count, 'Records that could not be taken'),
    deactivated: described(Count, 'Products that the supplier no longer lists'),
  },
  {
    $id: 'SyncCounts',
    description: 'What a run did with one type',
    examples: [
      {
        syncType: 'PRODUCTS',
        fullLoad: true,
        seen: 2000,
        created: 2000,
        updated: 0,
        unchanged: 0,
        skipped: 0,
        deactivated: 0,
      },
    ],
  },
)

export const SyncFeed = Type.Object(
  {
    status: ref(FeedStatus),
    offers: described(Count, 'Offers in it'),
    excluded: Type.Record(Type.String(), Count, { description: 'Products left out, by reason' }),
    reason: Nullable(Type.String({ description: 'Why it was not published' })),
    durationMs: described(Count, 'Milliseconds'),
  },
  {
    $id: 'SyncFeed',
    description: 'The feed that was built after a run',
    examples: [
      { status: 'PUBLISHED', offers: 1945, excluded: { INACTIVE: 40 }, reason: null, durationMs: 219 },
    ],
  },
)

const EXAMPLE = {
  id: 41,
  status: 'SUCCEEDED',
  trigger: 'CRON',
  startedAt: '2026-11-21T10:00:00.000Z',
  finishedAt: '2026-11-21T10:00:02.140Z',
  durationMs: 2140,
  error: null,
  warnings: [],
  types: SyncCounts.examples,
  feed: SyncFeed.examples?.[0],
}

export const SyncRun = Type.Object(
  {
    id: described(Id, 'Id of the run'),
    status: ref(RunStatus),
    trigger: ref(SyncTrigger),
    startedAt: described(Timestamp, 'When it began'),
    finishedAt: Nullable(described(Timestamp, 'When it ended; null: it is under way')),
    durationMs: Nullable(described(Count, 'Milliseconds; null: it is under way')),
    error: Nullable(Type.String({ description: 'Why it failed' })),
    warnings: Type.Array(Type.String({ description: 'A sentence' }), {
      description: 'What an operator should know of it',
    }),
    types: Type.Array(ref(SyncCounts), { description: 'What it did with each type that it came to' }),
    feed: Nullable(ref(SyncFeed), { description: 'The feed built after it; null: none was' }),
  },
  { $id: 'SyncRun', description: 'A run of the sync', examples: [EXAMPLE] },
)
export type SyncRun = Static<typeof SyncRun>

export const SyncRunPage = Page(SyncRun)

export const SkippedRecord = Type.Object(
  {
    syncType: ref(SyncType),
    externalId: Nullable(Type.String({ description: "The supplier's id; null: it could not be read" })),
    reason: Type.String({ description: 'Why it could not be taken' }),
  },
  {
    $id: 'SkippedRecord',
    description: 'A record of the supplier that could not be taken',
    examples: [{ syncType: 'PRODUCTS', externalId: 'T100007', reason: 'price is negative' }],
  },
)

export const SyncRunDetails = Type.Object(
  {
    ...SyncRun.properties,
    skippedRecords: Type.Array(ref(SkippedRecord), {
      description: 'The first 1000; `skipped` in `types` counts them all',
    }),
  },
  {
    $id: 'SyncRunDetails',
    description: 'A run with the records that it skipped',
    examples: [{ ...EXAMPLE, skippedRecords: SkippedRecord.examples }],
  },
)
export type SyncRunDetails = Static<typeof SyncRunDetails>

export const StartedSync = Type.Object(
  { runId: described(Id, 'Id of the run'), status: ref(RunStatus) },
  {
    $id: 'StartedSync',
    description: 'A run that goes on in the background',
    examples: [{ runId: 42, status: 'RUNNING' }],
  },
)

export const SyncRunQuery = Type.Object({
  wait: Type.Boolean({ default: false, description: 'Answer when the run has ended', examples: [true] }),
  full: Type.Boolean({
    default: false,
    description: 'Ask for everything, not only for what changed',
    examples: [true],
  }),
  acceptVanished: Type.Boolean({
    default: false,
    description:
      'Make inactive what the last full load and this one miss, even if it is more than a fifth of all products',
    examples: [true],
  }),
})
