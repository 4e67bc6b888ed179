import type { Schemas } from '../../api/client.ts'
import { keysOf } from '../../ui/filters.tsx'
import { Badge } from '../../ui/list.tsx'
import { t } from '../text.ts'

export type OrderStatus = Schemas['OrderStatus']

export const ORDER_STATUSES: readonly OrderStatus[] = keysOf(t.orderStatus)

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
