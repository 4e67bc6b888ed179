import { type Static, Type } from '@sinclair/typebox'
import { FEED_STATUSES, RUN_STATUSES, SYNC_TRIGGERS, SYNC_TYPES } from '../../db/tables/sync.ts'
import {
  Count,
  described,
  Id,
  NamedEnum,
  NamedObject,
  Nullable,
  Page,
  ref,
  Text,
  Timestamp,
} from './common.ts'

export const SyncType = NamedEnum('SyncType', 'Type of record, in the order of a run', SYNC_TYPES)
export const RunStatus = NamedEnum('RunStatus', 'Status of a run', RUN_STATUSES)
export const SyncTrigger = NamedEnum(
  'SyncTrigger',
  'What started a run: the schedule, an operator or the first start',
  SYNC_TRIGGERS,
)
export const FeedStatus = NamedEnum('FeedStatus', 'Result of a feed build', FEED_STATUSES)

export const SyncState = NamedObject('SyncState', 'Up to when a type was read', {
  syncType: ref(SyncType),
  lastSyncTime: described(
    Timestamp,
    'Start of the last successful run: the next one asks for changes since then',
  ),
})
export type SyncState = Static<typeof SyncState>

export const SyncCounts = NamedObject('SyncCounts', 'Counts of one type in a run', {
  syncType: ref(SyncType),
  fullLoad: Type.Boolean({ description: 'All records were requested, not only changes' }),
  seen: described(Count, 'Records received'),
  created: described(Count, 'New records'),
  updated: described(Count, 'Changed records'),
  unchanged: described(Count, 'Unchanged records'),
  skipped: described(Count, 'Invalid records'),
  deactivated: described(Count, 'Products that the supplier no longer lists'),
})

export const SyncFeed = NamedObject('SyncFeed', 'The feed that was built after a run', {
  status: ref(FeedStatus),
  offers: described(Count, 'Number of offers'),
  excluded: Type.Record(Type.String(), Count, {
    description: 'Products left out, by reason',
    examples: [{ INACTIVE: 40 }],
  }),
  reason: Nullable(Text('Why no feed was published')),
  durationMs: described(Count, 'Milliseconds'),
})

export const SyncRun = NamedObject('SyncRun', 'A run of the sync', {
  id: described(Id, 'Id of the run'),
  status: ref(RunStatus),
  trigger: ref(SyncTrigger),
  startedAt: described(Timestamp, 'Start'),
  finishedAt: Nullable(described(Timestamp, 'End; null while running')),
  durationMs: Nullable(described(Count, 'Milliseconds; null while running')),
  error: Nullable(Text('Cause of the failure')),
  warnings: Type.Array(Text('Message'), {
    description: 'Warnings for operators',
  }),
  types: Type.Array(ref(SyncCounts), { description: 'Counts per type that was reached' }),
  feed: Nullable(ref(SyncFeed), { description: 'The feed built after the run; null: none' }),
})
export type SyncRun = Static<typeof SyncRun>

export const SyncRunPage = Page(SyncRun)

export const SkippedRecord = NamedObject('SkippedRecord', 'A skipped record', {
  syncType: ref(SyncType),
  externalId: Nullable(Text("The supplier's id; null if unreadable", 'T100007')),
  reason: Text('Why it was skipped', 'price is negative'),
})

export const SyncRunDetails = NamedObject('SyncRunDetails', 'A run with its skipped records', {
  ...SyncRun.properties,
  skippedRecords: Type.Array(ref(SkippedRecord), {
    description: 'The first 1000; `skipped` in `types` counts all',
  }),
})
export type SyncRunDetails = Static<typeof SyncRunDetails>

export const StartedSync = NamedObject('StartedSync', 'A run that was started in the background', {
  runId: described(Id, 'Id of the run'),
  status: ref(RunStatus),
})

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
