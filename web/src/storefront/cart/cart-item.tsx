import { Link } from '@tanstack/react-router'
import type { Schemas } from '../api.ts'
import { formatNumber } from '../format.ts'
import common from '../frame/common.module.css'
import { useMoney } from '../settings.ts'
import css from './cart.module.css'
import { t } from './text.ts'

type Props = { item: Schemas['Cart']['items'][number]; onQuantity: (quantity: number) => void }

/** A line of the cart. Its quantity is changed by buttons, or typed. */
export function CartItem({ item, onQuantity }: Props) {
  const { name, slug, imageUrl, price, lineTotal, quantity, reason, availableQuantity } = item
  const money = useMoney()
  const label = name ?? t.gone
  return (
    <li className={css.item}>
      {imageUrl === null ? (
        <span className={css.picture} />
      ) : (
        <img src={`${imageUrl}&width=160`} width={72} height={72} alt="" className={css.picture} />
      )}
      <div className={css.name}>
        {slug === null ? (
          label
        ) : (
          <Link to="/products/$slug" params={{ slug }}>
            {label}
          </Link>
        )}
        {price !== null && <span className={common.muted}>{money(price)}</span>}
        {reason !== null && (
          <span className={common.bad} role="alert">
            {t.reasons[reason]}
            {reason === 'NOT_ENOUGH' && `: ${formatNumber(availableQuantity)}. `}
            {reason === 'NOT_ENOUGH' && (
              <button type="button" className={common.link} onClick={() => onQuantity(availableQuantity)}>
                {t.take} {formatNumber(availableQuantity)}
              </button>
            )}
          </span>
        )}
      </div>
      <div className={css.quantity}>
        <button type="button" aria-label={`${t.less}: ${label}`} onClick={() => onQuantity(quantity - 1)}>
          −
        </button>
        <input
          type="number"
          inputMode="numeric"
          min="1"
          aria-label={`${t.quantity}: ${label}`}
          value={quantity}
          onChange={({ target }) => {
            if (target.valueAsNumber >= 1) onQuantity(Math.floor(target.valueAsNumber))
          }}
        />
        <button type="button" aria-label={`${t.more}: ${label}`} onClick={() => onQuantity(quantity + 1)}>
          +
        </button>
      </div>
      <strong className={css.line}>{lineTotal === null ? '—' : money(lineTotal)}</strong>
      <button type="button" className={css.remove} aria-label={`${t.remove}: ${label}`} onClick={() => onQuantity(0)}>
        ×
      </button>
    </li>
  )
}
