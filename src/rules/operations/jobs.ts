/**
 * The background jobs, in the order of their list, each with the setting that switches its schedule off. jobs/index.ts says
 * when they run and what they do.
 */
export const JOBS = [
  { name: 'supplier-sync', flag: 'job_sync_enabled' },
  { name: 'category-visibility', flag: 'job_category_visibility_enabled' },
  { name: 'feed-rebuild', flag: 'job_feed_rebuild_enabled' },
  { name: 'overdue-rebuilds', flag: 'job_overdue_rebuilds_enabled' },
  { name: 'image-scraping', flag: 'gbstore.scraping.enabled' },
  { name: 'image-variants', flag: 'job_image_variants_enabled' },
  { name: 'mail-delivery', flag: 'job_mail_delivery_enabled' },
  { name: 'webhook-delivery', flag: 'job_webhook_delivery_enabled' },
  { name: 'alerts', flag: 'job_alerts_enabled' },
  { name: 'order-release', flag: 'job_order_release_enabled' },
  { name: 'run-recovery', flag: 'job_run_recovery_enabled' },
  { name: 'popularity', flag: 'job_popularity_enabled' },
  { name: 'purge', flag: 'job_purge_enabled' },
  { name: 'privacy-retention', flag: 'job_privacy_retention_enabled' },
  { name: 'orphaned-objects', flag: 'job_orphaned_objects_enabled' },
] as const

export type JobName = (typeof JOBS)[number]['name']
export type JobFlag = (typeof JOBS)[number]['flag']
