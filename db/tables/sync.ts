import type { ColumnType, Generated, GeneratedAlways, Selectable } from 'kysely'

/** In the order in which a run reads them. */
export const SYNC_TYPES = ['CATEGORIES', 'BRANDS', 'PRODUCTS'] as const
export type SyncType = (typeof SYNC_TYPES)[number]
export const RUN_STATUSES = ['RUNNING', 'SUCCEEDED', 'FAILED'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]
export const SYNC_TRIGGERS = ['CRON', 'MANUAL', 'START'] as const
export type SyncTrigger = (typeof SYNC_TRIGGERS)[number]
export const FEED_STATUSES = ['PUBLISHED', 'UNCHANGED', 'REJECTED', 'FAILED'] as const

export type SyncStateTable = {
  sync_type: SyncType
  /** The moment the last successful run of this type began, by the earlier of the two clocks. */
  last_sync_time: Date
  /** What follows `last_sync_time` after one more run from there; null: nothing has to be asked for again. */
  next_sync_time: Date | null
}

/** Of each type the last full load that was read to its end. */
export type SyncFullLoadsTable = {
  sync_type: SyncType
  /** When the last one began whose watermark was stored; null: the next run is a full load. */
  trusted_at: Date | null
  /** Whether the last one, trusted or not, held nothing. */
  empty: Generated<boolean>
}

/** Records of ours that the last full load of the type missed: active products, any categories and brands. */
export type SyncMissedTable = { sync_type: SyncType; external_id: string }

/** What became of the feed rebuild that followed a run. */
export type FeedOutcome = {
  status: (typeof FEED_STATUSES)[number]
  offers: number
  /** Products left out, by reason. */
  excluded: { [reason: string]: number }
  /** Why nothing was published; null when something was. */
  reason: string | null
  durationMs: number
}

export type SyncRunsTable = {
  id: Generated<number>
  status: RunStatus
  trigger: SyncTrigger
  started_at: Date
  finished_at: Date | null
  error: string | null
  /** What an operator should know of a run that succeeded, such as vanished products left alone. */
  warnings: Generated<string[]>
  /** The states were cleared while it ran: it must not store its own. */
  state_discarded: Generated<boolean>
  feed: ColumnType<FeedOutcome | null, string | null | undefined, string | null>
}

export type SyncRunRow = Selectable<SyncRunsTable>

export type SyncRunTypesTable = {
  run_id: number
  sync_type: SyncType
  /** No dateFrom was sent. */
  full_load: boolean
  seen: number
  created: number
  updated: number
  unchanged: number
  skipped: number
  deactivated: number
}

export type SyncSkippedRecordsTable = {
  id: GeneratedAlways<number>
  run_id: number
  sync_type: SyncType
  external_id: string | null
  reason: string
}

/** External ids of products that the run under way has seen. Unlogged: a run that dies starts over. */
export type SyncSeenProductsTable = {
  run_id: number
  external_id: string
}
