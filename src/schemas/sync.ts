import { type Static, Type } from '@sinclair/typebox'
import { FEED_STATUSES, SYNC_TRIGGERS, SYNC_TYPES } from '../../db/tables/sync.ts'
import { Count, Flag, List, NamedEnum, NamedObject, Nullable, ref, Text, Timestamp } from './common.ts'
import { Page } from './lists.ts'
import { RUN, WaitQuery } from './runs.ts'

export const SyncType = NamedEnum('SyncType', 'Type of record, in the order of a run', SYNC_TYPES)
export const SyncTrigger = NamedEnum(
  'SyncTrigger',
  'What started a run: the schedule, an operator or the first start',
  SYNC_TRIGGERS,
)
export const FeedStatus = NamedEnum('FeedStatus', 'Result of a feed build', FEED_STATUSES)

export const SyncState = NamedObject('SyncState', 'Up to when a type was read', {
  syncType: ref(SyncType),
  lastSyncTime: Timestamp('Start of the last successful run: the next one asks for changes since then'),
})
export type SyncState = Static<typeof SyncState>

export const SyncCounts = NamedObject('SyncCounts', 'Counts of one type in a run', {
  syncType: ref(SyncType),
  fullLoad: Type.Boolean({ description: 'All records were requested, not only changes' }),
  seen: Count('Records received'),
  created: Count('New records'),
  updated: Count('Changed records'),
  unchanged: Count('Unchanged records'),
  skipped: Count('Invalid records'),
  deactivated: Count('Products that the supplier no longer lists'),
})

export const SyncFeed = NamedObject('SyncFeed', 'The feed that was built after a run', {
  status: ref(FeedStatus),
  offers: Count('Number of offers'),
  excluded: Type.Record(Type.String(), Count('Products'), {
    description: 'Products left out, by reason',
    examples: [{ INACTIVE: 40 }],
  }),
  reason: Nullable(Text('Why no feed was published')),
  durationMs: Count('Milliseconds'),
})

export const SyncRun = NamedObject('SyncRun', 'A run of the sync', {
  ...RUN,
  trigger: ref(SyncTrigger),
  warnings: Type.Array(Text('Message'), { description: 'Warnings for operators' }),
  types: List(SyncCounts, 'Counts per type that was reached'),
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
  skippedRecords: List(SkippedRecord, 'The first 1000; `skipped` in `types` counts all'),
})
export type SyncRunDetails = Static<typeof SyncRunDetails>

export const SyncRunQuery = Type.Object({
  ...WaitQuery.properties,
  full: Flag('Request all records, not only changes'),
  acceptVanished: Flag(
    'Deactivate the products that the last full load and this one miss, even if more than 20 % of all. Implies `full`',
  ),
})
