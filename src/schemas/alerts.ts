import { type Static, Type } from '@sinclair/typebox'
import { ALERT_NAMES } from '../rules/operations/alerts.ts'
import { described, Enum, Id, Nullable, ref, Timestamp } from './common.ts'

export const AlertName = Enum(ALERT_NAMES, {
  $id: 'AlertName',
  description: 'What is wrong; docs/alerts.md has a section for each',
})

export const Alert = Type.Object(
  {
    id: described(Id, 'Id of the alert'),
    name: ref(AlertName),
    summary: Type.String({ description: 'What it means' }),
    details: Type.String({ description: 'The facts, as the last check found them' }),
    lookAt: Type.String({ description: 'Path of the API where to look' }),
    beganAt: described(Timestamp, 'When a check found it first'),
    endedAt: Nullable(described(Timestamp, 'When a check no longer found it; null: it is open')),
  },
  {
    $id: 'Alert',
    description: 'Something that needs, or needed, an operator',
    examples: [
      {
        id: 3,
        name: 'SyncStale',
        summary: "The shop's prices and stock are out of date: no sync has succeeded for too long",
        details: 'Last success: 2026-11-21T10:05:03.420Z. Last error: The supplier answered 500',
        lookAt: '/api/v1/admin/sync/runs',
        beganAt: '2026-11-21T11:05:50.012Z',
        endedAt: null,
      },
    ],
  },
)
export type Alert = Static<typeof Alert>
