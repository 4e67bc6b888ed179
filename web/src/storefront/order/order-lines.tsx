import type { Schemas } from '../api.ts'
import { formatNumber } from '../format.ts'
import { useMoney } from '../settings.ts'
import css from './order.module.css'
import { t } from './text.ts'

type Order = Pick<Schemas['Order'], 'items' | 'itemsTotal' | 'deliveryCost' | 'total'>

export function OrderLines({ order }: { order: Order }) {
  const money = useMoney()
  return (
    <dl className={css.lines}>
      {order.items.map(({ id, productName, quantity, lineTotal }) => (
        <div key={id}>
          <dt>
            {productName} × {formatNumber(quantity)}
          </dt>
          <dd>{money(lineTotal)}</dd>
        </div>
      ))}
      {order.deliveryCost > 0 && (
        <div>
          <dt>{t.delivery}</dt>
          <dd>{money(order.deliveryCost)}</dd>
        </div>
      )}
      <div className={css.total}>
        <dt>{t.total}</dt>
        <dd>{money(order.total)}</dd>
      </div>
    </dl>
  )
}
