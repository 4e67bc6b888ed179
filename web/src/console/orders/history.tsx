import { DASH, formatDuration, formatTime } from '../../ui/format.ts'
import { Badge, Panel, Small } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import type { OrderDetails } from './order.tsx'
import { t } from './text.ts'

/** Who changed what, newest first. */
export function OrderHistory({ order }: { order: OrderDetails }) {
  return (
    <Panel title={t.history}>
      <ul className={css.list}>
        {order.history.toReversed().map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and only new ones come
          <li key={index}>
            <div>
              {entry.fromStatus === null
                ? t.placed
                : entry.fromStatus === entry.toStatus
                  ? changedMembers(entry.after)
                  : `${t.orderStatus[entry.fromStatus]} → ${t.orderStatus[entry.toStatus]}`}
            </div>
            <Small>
              {`${formatTime(entry.changedAt)} · ${entry.userName ?? (entry.actorKind === 'SERVICE' ? t.service : t.customer)}`}
            </Small>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const NAMES: { [member: string]: string } = {
  customerName: t.personName,
  customerPhone: t.phone,
  customerEmail: t.email,
  deliveryMethod: t.deliveryMethod,
  deliveryAddress: t.deliveryAddress,
  deliveryCost: t.deliveryCost,
  comment: t.comment,
  adminComment: t.notes,
  item: t.lines,
}

function changedMembers(after: Record<string, unknown> | null): string {
  const members = Object.entries(after ?? {})
  if (members.length === 0) return t.lines
  return members.map(([name, value]) => `${NAMES[name] ?? name}: ${describe(value)}`).join('; ')
}

function describe(value: unknown): string {
  if (value === null || value === '') return DASH
  if (typeof value !== 'object') return String(value)
  return Object.values(value)
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .join(' · ')
}

/** What the supplier was sent, and answered. */
export function OrderAttempts({ order }: { order: OrderDetails }) {
  if (order.submitAttempts.length === 0) return null
  return (
    <Panel title={t.attempts}>
      <ul className={css.list}>
        {order.submitAttempts.toReversed().map((attempt) => (
          <li key={attempt.startedAt}>
            <div className={css.row}>
              <Badge tone={attempt.outcome === 'ACCEPTED' ? 'good' : 'bad'}>{t.outcome[attempt.outcome]}</Badge>
              <Small>{`${formatTime(attempt.startedAt)} · ${formatDuration(attempt.durationMs)}`}</Small>
            </div>
            {attempt.error && <p className={css.bad}>{attempt.error}</p>}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
