import { type Static, Type } from '@sinclair/typebox'
import { Nullable, Timestamp } from './common.ts'

const SyncType = Type.Union([Type.Literal('CATEGORIES'), Type.Literal('BRANDS'), Type.Literal('PRODUCTS')])
const RunStatus = Type.Union([Type.Literal('RUNNING'), Type.Literal('SUCCEEDED'), Type.Literal('FAILED')])

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
  status: Type.Union([
    Type.Literal('PUBLISHED'),
    Type.Literal('UNCHANGED'),
    Type.Literal('REJECTED'),
    Type.Literal('FAILED'),
  ]),
  offers: Type.Integer(),
  excluded: Type.Record(Type.String(), Type.Integer(), { description: 'Products left out, by reason' }),
  reason: Nullable(Type.String()),
  durationMs: Type.Integer(),
})

export const SyncRun = Type.Object(
  {
    id: Type.Integer(),
    status: RunStatus,
    trigger: Type.Union([Type.Literal('CRON'), Type.Literal('MANUAL'), Type.Literal('START')]),
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
})
