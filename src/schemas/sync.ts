import { type Static, Type } from '@sinclair/typebox'
import { FEED_STATUSES, SYNC_TRIGGERS, SYNC_TYPES } from '../../db/tables/sync.ts'
import * as t from './common.ts'
import { RUN, WaitQuery } from './runs.ts'

const SyncType = t.NamedEnum('SyncType', 'Type of record, in the order of a run', SYNC_TYPES)
const SyncTrigger = t.NamedEnum(
  'SyncTrigger',
  'What started a run: the schedule, an operator or the first start',
  SYNC_TRIGGERS,
)
const FeedStatus = t.NamedEnum('FeedStatus', 'Result of a feed build', FEED_STATUSES)

export const SyncState = t.NamedObject('SyncState', 'The time up to which a type has been read', {
  syncType: t.ref(SyncType),
  lastSyncTime: t.Timestamp('Start of the last successful run: the next one asks for changes since then'),
})
export type SyncState = Static<typeof SyncState>

const SyncCounts = t.NamedObject('SyncCounts', 'Counts of one type in a run', {
  syncType: t.ref(SyncType),
  fullLoad: Type.Boolean({ description: 'All records were requested, not only changes' }),
  seen: t.Count('Records received'),
  created: t.Count('New records'),
  updated: t.Count('Changed records'),
  unchanged: t.Count('Unchanged records'),
  skipped: t.Count('Invalid records, of which what is sound was taken'),
  deactivated: t.Count('Products that the supplier no longer lists'),
})

const SyncFeed = t.NamedObject('SyncFeed', 'The feed that was built after a run', {
  status: t.ref(FeedStatus),
  offers: t.Count('Number of offers'),
  excluded: Type.Record(Type.String(), t.Count('Products'), { description: 'Products left out, by reason' }),
  reason: t.Nullable(t.Text('Why no feed was published')),
  durationMs: t.Count('Milliseconds'),
})

export const SyncRun = t.NamedObject('SyncRun', 'A run of the sync', {
  ...RUN,
  trigger: t.ref(SyncTrigger),
  warnings: Type.Array(t.Text('Message'), { description: 'Warnings for operators' }),
  expected: t.Nullable(t.Count('Products of the last full load; null: none is read, or its first page is')),
  types: t.List(SyncCounts, 'Counts of each type that the run reached'),
  feed: t.Nullable(t.ref(SyncFeed), { description: 'The feed built after the run; null: none' }),
})
export type SyncRun = Static<typeof SyncRun>

const SkippedRecord = t.NamedObject('SkippedRecord', 'An invalid record; a product is skipped in part only', {
  syncType: t.ref(SyncType),
  externalId: t.Nullable(t.Text("The supplier's id; null if unreadable", 'T100007')),
  reason: t.Text('What is wrong with it', "attributes[0].value can't be true"),
})

export const SyncRunDetails = t.NamedObject('SyncRunDetails', 'A run with its invalid records', {
  ...SyncRun.properties,
  skippedRecords: t.List(SkippedRecord, 'The first 1000; `skipped` in `types` counts all'),
})
export type SyncRunDetails = Static<typeof SyncRunDetails>

export const SyncRunQuery = Type.Object({
  ...WaitQuery.properties,
  full: t.Flag('Request all records, not only changes'),
  acceptVanished: t.Flag(
    'Deactivate the products missing from both the last full load and this one, even if they are more than 20 % of all. Implies `full`',
  ),
})
export type SyncRunQuery = Static<typeof SyncRunQuery>
