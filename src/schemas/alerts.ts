import type { Static } from '@sinclair/typebox'
import { ALERT_NAMES } from '../rules/operations/alerts.ts'
import * as t from './common.ts'

export const AlertName = t.NamedEnum('AlertName', 'What is wrong; docs/alerts.md has a section for each', ALERT_NAMES)

export const Alert = t.NamedObject('Alert', 'Something that needs, or needed, an operator', {
  id: t.Id('Id of the alert'),
  name: t.ref(AlertName),
  summary: t.Text(
    'What it means, in English or Russian by `Accept-Language`',
    'prices and stock are out of date: no sync has succeeded for too long',
  ),
  details: t.Text(
    'The facts, as the last check found them',
    'Last success: 2026-11-21T10:05:03Z. Last error: The supplier answered 500',
  ),
  beganAt: t.Timestamp('When a check first found it'),
  endedAt: t.Nullable(t.Timestamp('When a check no longer found it; null: it is open')),
})
export type Alert = Static<typeof Alert>
