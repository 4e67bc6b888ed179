import type { Schemas } from '../../api/client.ts'
import { Badge } from '../../ui/list.tsx'
import { t } from '../text.ts'

export type OrderStatus = Schemas['OrderStatus']

export const ORDER_STATUSES = [
  'NEW',
  'PROCESSING',
  'SENT',
  'ERROR',
  'CANCELLED',
  'COMPLETED',
  'ARCHIVED',
] as const satisfies readonly OrderStatus[]

const TONES = {
  NEW: 'accent',
  PROCESSING: 'warn',
  SENT: 'good',
  ERROR: 'bad',
  CANCELLED: 'muted',
  COMPLETED: 'good',
  ARCHIVED: 'muted',
} as const

export function OrderBadge({ status }: { status: OrderStatus }) {
  return <Badge tone={TONES[status]}>{t.orderStatus[status]}</Badge>
}
