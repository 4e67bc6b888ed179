import { type Static, Type } from '@sinclair/typebox'
import { FEED_STATUSES, RUN_STATUSES, SYNC_TRIGGERS, SYNC_TYPES } from '../../db/tables/sync.ts'
import { Enum, Nullable, Timestamp } from './common.ts'

const SyncType = Enum(SYNC_TYPES)
const RunStatus = Enum(RUN_STATUSES)

export const SyncState = Type.Object({ syncType: SyncType, lastSyncTime: Timestamp }, { $id: 'SyncState' })
export type SyncState = Static<typeof SyncState>

const SyncCounts = Type.Object({
  syncType: SyncType,
  fullLoad: Type.Boolean({ description: 'Everything was asked for, not only what changed' }),
  seen: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  skipped: Type.Integer({ description: 'Records that could not be taken' }),
  deactivated: Type.Integer({ description: 'Products that the supplier no longer lists' }),
})

const SyncFeed = Type.Object({
  status: Enum(FEED_STATUSES),
  offers: Type.Integer(),
  excluded: Type.Record(Type.String(), Type.Integer(), { description: 'Products left out, by reason' }),
  reason: Nullable(Type.String()),
  durationMs: Type.Integer(),
})

export const SyncRun = Type.Object(
  {
    id: Type.Integer(),
    status: RunStatus,
    trigger: Enum(SYNC_TRIGGERS),
    startedAt: Timestamp,
    finishedAt: Nullable(Timestamp),
    durationMs: Nullable(Type.Integer()),
    error: Nullable(Type.String()),
    warnings: Type.Array(Type.String()),
    types: Type.Array(SyncCounts),
    feed: Nullable(SyncFeed),
  },
  { $id: 'SyncRun' },
)
export type SyncRun = Static<typeof SyncRun>

export const SyncRunDetails = Type.Object(
  {
    ...SyncRun.properties,
    skippedRecords: Type.Array(
      Type.Object({ syncType: SyncType, externalId: Nullable(Type.String()), reason: Type.String() }),
      { description: 'The first 1000; `skipped` in `types` counts them all' },
    ),
  },
  { $id: 'SyncRunDetails' },
)
export type SyncRunDetails = Static<typeof SyncRunDetails>

export const StartedSync = Type.Object({ runId: Type.Integer(), status: RunStatus }, { $id: 'StartedSync' })

export const SyncRunQuery = Type.Object({
  wait: Type.Boolean({ default: false, description: 'Answer when the run has ended' }),
  full: Type.Boolean({ default: false, description: 'Ask for everything, not only for what changed' }),
  acceptVanished: Type.Boolean({
    default: false,
    description:
      'Make inactive what the last full load and this one miss, even if it is more than a fifth of all products',
  }),
})
