import type { ColumnType, Generated, GeneratedAlways, Selectable } from 'kysely'

/** In the order of a run. */
export const SYNC_TYPES = ['CATEGORIES', 'BRANDS', 'PRODUCTS'] as const
export type SyncType = (typeof SYNC_TYPES)[number]

export const RUN_STATUSES = ['RUNNING', 'SUCCEEDED', 'FAILED'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

export const SYNC_TRIGGERS = ['CRON', 'MANUAL', 'START'] as const
export type SyncTrigger = (typeof SYNC_TRIGGERS)[number]

export const FEED_STATUSES = ['PUBLISHED', 'UNCHANGED', 'REJECTED', 'FAILED'] as const

/** Result of the feed build after a run. */
export type FeedOutcome = {
  status: (typeof FEED_STATUSES)[number]
  offers: number
  /** Products left out, by reason. */
  excluded: { [reason: string]: number }
  /** Why nothing was published; null if published. */
  reason: string | null
  durationMs: number
}

export interface SyncTables {
  sync_state: {
    sync_type: SyncType
    /** Start of the last successful run of this type, by the earlier of our and the supplier's clock. */
    last_sync_time: Date
    /** Replaces `last_sync_time` after one more run from there; null: no repetition is due. */
    next_sync_time: Date | null
  }
  /** The last full load of each type that was read to its end. */
  sync_full_loads: {
    sync_type: SyncType
    /** Start of the last trusted one; null: the next run is a full load. */
    trusted_at: Date | null
    /** Whether the last one of products, trusted or not, had no records. */
    empty: Generated<boolean>
  }
  /** Active products that the last full load missed. */
  sync_missed: { sync_type: 'PRODUCTS'; external_id: string }
  sync_runs: {
    id: Generated<number>
    status: RunStatus
    trigger: SyncTrigger
    started_at: Date
    heartbeat_at: Generated<Date>
    /** All was read and written; set in the transaction that did the last of it. */
    imported: Generated<boolean>
    finished_at: Date | null
    error: string | null
    /** For operators, such as missing products that were not deactivated. */
    warnings: Generated<string[]>
    /** Too many products were missing: an operator decides whether they are gone. */
    waits_for_acceptance: Generated<boolean>
    /** The states were reset during the run, which then must not store its own. */
    state_discarded: Generated<boolean>
    feed: ColumnType<FeedOutcome | null, string | null | undefined, string | null>
  }
  sync_run_types: {
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
  sync_skipped_records: {
    id: GeneratedAlways<number>
    run_id: number
    sync_type: SyncType
    external_id: string | null
    reason: string
  }
  /** External ids of products that the current run has seen. Unlogged: an interrupted run starts over. */
  sync_seen_products: {
    run_id: number
    external_id: string
  }
}

export type SyncRunRow = Selectable<SyncTables['sync_runs']>
