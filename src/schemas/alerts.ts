import type { Static } from '@sinclair/typebox'
import { ALERT_NAMES } from '../rules/operations/alerts.ts'
import { Id, NamedEnum, NamedObject, Nullable, ref, Text, Timestamp } from './common.ts'

export const AlertName = NamedEnum(
  'AlertName',
  'What is wrong; docs/alerts.md has a section for each',
  ALERT_NAMES,
)

export const Alert = NamedObject('Alert', 'Something that needs, or needed, an operator', {
  id: Id('Id of the alert'),
  name: ref(AlertName),
  summary: Text(
    'What it means',
    "The shop's prices and stock are out of date: no sync has succeeded for too long",
  ),
  details: Text(
    'The facts, as the last check found them',
    'Last success: 2026-11-21T10:05:03.420Z. Last error: The supplier answered 500',
  ),
  lookAt: Text('Path of the API where to look', '/api/v1/admin/sync/runs'),
  beganAt: Timestamp('When a check found it first'),
  endedAt: Nullable(Timestamp('When a check no longer found it; null: it is open')),
})
export type Alert = Static<typeof Alert>
