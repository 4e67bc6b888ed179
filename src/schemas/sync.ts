import { type Static, Type } from '@sinclair/typebox'
import { FEED_STATUSES, RUN_STATUSES, SYNC_TRIGGERS, SYNC_TYPES } from '../../db/tables/sync.ts'
import { Count, described, Enum, Id, Nullable, Page, ref, Timestamp } from './common.ts'

export const SyncType = Enum(SYNC_TYPES, {
  $id: 'SyncType',
  description: 'Type of record, in the order of a run',
})
export const RunStatus = Enum(RUN_STATUSES, { $id: 'RunStatus', description: 'Status of a run' })
export const SyncTrigger = Enum(SYNC_TRIGGERS, {
  $id: 'SyncTrigger',
  description: 'What started a run: the schedule, an operator or the first start',
})
export const FeedStatus = Enum(FEED_STATUSES, {
  $id: 'FeedStatus',
  description: 'Result of a feed build',
})

export const SyncState = Type.Object(
  {
    syncType: ref(SyncType),
    lastSyncTime: described(
      Timestamp,
      'Start of the last successful run: the next one asks for changes since then',
    ),
  },
  {
    $id: 'SyncState',
    description: 'Up to when a type was read',
    examples: [{ syncType: 'PRODUCTS', lastSyncTime: '2026-11-21T10:00:00.000Z' }],
  },
)
export type SyncState = Static<typeof SyncState>

export const SyncCounts = Type.Object(
  {
    syncType: ref(SyncType),
    fullLoad: Type.Boolean({ description: 'All records were requested, not only changes' }),
    seen: described(Count, 'Records received'),
    created: described(Count, 'New records'),
    updated: described(Count, 'Changed records'),
    unchanged: described(Count, 'Unchanged records'),
    skipped: described(Count, 'Invalid records'),
    deactivated: described(Count, 'Products that the supplier no longer lists'),
  },
  {
    $id: 'SyncCounts',
    description: 'Counts of one type in a run',
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
    offers: described(Count, 'Number of offers'),
    excluded: Type.Record(Type.String(), Count, { description: 'Products left out, by reason' }),
    reason: Nullable(Type.String({ description: 'Why no feed was published' })),
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
    startedAt: described(Timestamp, 'Start'),
    finishedAt: Nullable(described(Timestamp, 'End; null while running')),
    durationMs: Nullable(described(Count, 'Milliseconds; null while running')),
    error: Nullable(Type.String({ description: 'Cause of the failure' })),
    warnings: Type.Array(Type.String({ description: 'Message' }), {
      description: 'Warnings for operators',
    }),
    types: Type.Array(ref(SyncCounts), { description: 'Counts per type that was reached' }),
    feed: Nullable(ref(SyncFeed), { description: 'The feed built after the run; null: none' }),
  },
  { $id: 'SyncRun', description: 'A run of the sync', examples: [EXAMPLE] },
)
export type SyncRun = Static<typeof SyncRun>

export const SyncRunPage = Page(SyncRun)

export const SkippedRecord = Type.Object(
  {
    syncType: ref(SyncType),
    externalId: Nullable(Type.String({ description: "The supplier's id; null if unreadable" })),
    reason: Type.String({ description: 'Why it was skipped' }),
  },
  {
    $id: 'SkippedRecord',
    description: 'A skipped record',
    examples: [{ syncType: 'PRODUCTS', externalId: 'T100007', reason: 'price is negative' }],
  },
)

export const SyncRunDetails = Type.Object(
  {
    ...SyncRun.properties,
    skippedRecords: Type.Array(ref(SkippedRecord), {
      description: 'The first 1000; `skipped` in `types` counts all',
    }),
  },
  {
    $id: 'SyncRunDetails',
    description: 'A run with its skipped records',
    examples: [{ ...EXAMPLE, skippedRecords: SkippedRecord.examples }],
  },
)
export type SyncRunDetails = Static<typeof SyncRunDetails>

export const StartedSync = Type.Object(
  { runId: described(Id, 'Id of the run'), status: ref(RunStatus) },
  {
    $id: 'StartedSync',
    description: 'A run that was started in the background',
    examples: [{ runId: 42, status: 'RUNNING' }],
  },
)

export const SyncRunQuery = Type.Object({
  wait: Type.Boolean({ default: false, description: 'Answer when the run has finished', examples: [true] }),
  full: Type.Boolean({
    default: false,
    description: 'Request all records, not only changes',
    examples: [true],
  }),
  acceptVanished: Type.Boolean({
    default: false,
    description:
      'Deactivate the products that the last full load and this one miss, even if more than 20 % of all. Implies `full`',
    examples: [true],
  }),
})
