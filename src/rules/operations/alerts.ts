/** Sections of docs/alerts.md have these names. */
export const ALERT_NAMES = [
  'SyncStale',
  'SyncWaiting',
  'FeedRefused',
  'PipelineFailed',
  'MailsFailing',
  'WebhooksFailing',
  'WebhookSwitchedOff',
  'StorageNotWritable',
] as const
export type AlertName = (typeof ALERT_NAMES)[number]

type Words = {
  /** What it means, for the API. */
  summary: string
  /** Path of the API where to look. */
  lookAt: string
}

export const ALERTS: Record<AlertName, Words> = {
  SyncStale: {
    summary: "The shop's prices and stock are out of date: no sync has succeeded for too long",
    lookAt: '/api/v1/admin/sync/runs',
  },
  SyncWaiting: {
    summary: 'Many products are missing from the supplier; the sync waits for the word that they are gone',
    lookAt: '/api/v1/admin/sync/runs',
  },
  FeedRefused: {
    summary: 'The feed fails its own check; price comparison services get the last good one',
    lookAt: '/api/v1/admin/jobs/feed-rebuild/runs',
  },
  PipelineFailed: {
    summary: "The last processing of the supplier's XML feed failed",
    lookAt: '/api/v1/admin/xml-pipeline/runs',
  },
  MailsFailing: {
    summary: 'No mail has been delivered for an hour, although some are waiting',
    lookAt: '/api/v1/admin/mails?status=PENDING',
  },
  WebhooksFailing: {
    summary: 'A webhook has failed for an hour, and events wait for it',
    lookAt: '/api/v1/admin/webhooks',
  },
  WebhookSwitchedOff: {
    summary: 'A webhook was switched off: it failed for five days, or its receiver is gone',
    lookAt: '/api/v1/admin/webhooks',
  },
  StorageNotWritable: {
    summary: 'Files can not be written: uploads, image variants and feeds fail',
    lookAt: '/health/ready',
  },
}

/**
 * Minutes for which a condition must be absent before its alert is over. A condition that comes and goes so sends at most
 * two mails an hour.
 */
export const QUIET_MINUTES = { first: 5, repeated: 60, repeatedWithin: 24 * 60 }
