import { Link } from '@tanstack/react-router'
import { ApiFailure } from '../../api/failure.ts'
import type { Schemas } from '../api.ts'
import { t as cartText } from '../cart/text.ts'
import { setQuantity } from '../cart.ts'
import { formatNumber } from '../format.ts'
import common from '../frame/common.module.css'
import { useMoney } from '../settings.ts'
import css from './checkout.module.css'
import { t } from './text.ts'

type Props = { cart: Schemas['Cart'] | undefined; error: unknown; isFixed: boolean }

/** What is ordered. Lines that can't be had say what is left. */
export function Summary({ cart, error, isFixed }: Props) {
  const money = useMoney()
  const isUnavailable = error instanceof ApiFailure && error.code === 'PRODUCT_UNAVAILABLE'
  if (cart === undefined) return null
  return (
    <section className={css.summary} aria-label={t.yourOrder}>
      <h2>{t.yourOrder}</h2>
      <ul>
        {cart.items.map(({ productId, name, quantity, lineTotal, reason, availableQuantity }) => (
          <li key={productId}>
            <span>
              {name ?? cartText.gone} × {formatNumber(quantity)}
            </span>
            <span>{lineTotal === null ? '—' : money(lineTotal)}</span>
            {reason !== null && (
              <span className={css.fault} role={isUnavailable ? 'alert' : undefined}>
                {cartText.reasons[reason]}
                {reason === 'NOT_ENOUGH' && `: ${formatNumber(availableQuantity)}`}{' '}
                {!isFixed && (
                  <button
                    type="button"
                    className={common.link}
                    onClick={() => setQuantity(productId, reason === 'NOT_ENOUGH' ? availableQuantity : 0)}
                  >
                    {reason === 'NOT_ENOUGH' ? `${cartText.take} ${formatNumber(availableQuantity)}` : cartText.remove}
                  </button>
                )}
              </span>
            )}
          </li>
        ))}
      </ul>
      {cart.deliveryCost !== null && (
        <p className={css.delivery}>
          <span>{t.method}</span> <span>{cart.deliveryCost === 0 ? t.free : money(cart.deliveryCost)}</span>
        </p>
      )}
      <p className={css.total}>
        <span>{cartText.total}</span> <strong>{money(cart.total)}</strong>
      </p>
      {!isFixed && <Link to="/cart">{t.change}</Link>}
    </section>
  )
}
