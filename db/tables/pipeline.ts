import type { ColumnType, Generated, Selectable } from 'kysely'
import type { Edited } from './columns.ts'
import type { RunStatus } from './sync.ts'

/** In order of execution. */
export const PIPELINE_STAGES = [
  'DOWNLOAD',
  'PARSE',
  'SNAPSHOT',
  'CATEGORY_MAPPING',
  'ATTRIBUTES',
  'IMAGE_QUEUE',
] as const
export type PipelineStage = (typeof PIPELINE_STAGES)[number]

export const STAGE_STATUSES = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED'] as const
type StageStatus = (typeof STAGE_STATUSES)[number]

export type StageCounts = { [what: string]: number }

export interface PipelineTables {
  xml_pipeline_runs: {
    id: Generated<number>
    status: RunStatus
    /** Only counts what would change. */
    dry_run: boolean
    /** Including retries. */
    attempts: Generated<number>
    /** The downloaded supplier feed and its uncompressed size; null before the download. */
    storage_key: string | null
    sha256: string | null
    size: number | null
    /** With which it was served. */
    content_type: string | null
    started_at: Date
    heartbeat_at: Generated<Date>
    finished_at: Date | null
    error: string | null
  }
  xml_pipeline_stages: {
    run_id: number
    stage: PipelineStage
    status: StageStatus
    started_at: Date | null
    finished_at: Date | null
    counts: ColumnType<StageCounts, string | undefined, string>
    error: string | null
  }
  /** Parsed by the current run. Unlogged: after a crash of PostgreSQL the supplier feed is parsed again. */
  xml_staged_categories: {
    run_id: number
    feed_category_id: string
    name: string
    parent_id: string | null
    position: number
  }
  xml_staged_offers: {
    run_id: number
    offer_id: string
    position: number
    name: string
    price: string | null
    /** Of the offer as written in the supplier feed. */
    digests: string
    category_id: string | null
    page_url: string | null
    pictures: ColumnType<string[], string>
    params: ColumnType<{ name: string; value: string }[], string>
  }
  xml_snapshots: {
    id: Generated<number>
    run_id: number
    storage_key: string
    sha256: string
    size: number
    offers: number
    categories: number
    created_at: Generated<Date>
  }
  xml_snapshot_offers: {
    snapshot_id: number
    offer_id: string
    name: string
    price: string | null
    digests: string
  }
  xml_feed_categories: {
    feed_category_id: string
    name: string
    parent_id: string | null
    position: number
    /** Without those of subcategories. */
    offers: number
    /** False: not in the last supplier feed, but still mapped. */
    in_feed: boolean
  }
  category_mappings: {
    feed_category_id: string
    category_id: number
    /** Whether the category was locked before it was mapped. */
    was_locked: Generated<boolean>
    created_at: Generated<Date>
  }
  attribute_rules: Edited & {
    /** The name in the supplier feed, in any case. */
    alias: string
    /** The name in the shop. */
    name: string | null
    ignore: Generated<boolean>
  }
  /** A product's page and image URLs from the last supplier feed. The supplier's page is products.page_url. */
  product_feed_data: {
    product_id: number
    page_url: string | null
    pictures: string[]
  }
}

export type XmlPipelineRunRow = Selectable<PipelineTables['xml_pipeline_runs']>
export type XmlPipelineStageRow = Selectable<PipelineTables['xml_pipeline_stages']>
