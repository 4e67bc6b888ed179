import { Link } from '@tanstack/react-router'
import { setQuantity, useCart } from '../cart.ts'
import common from '../frame/common.module.css'
import { PageHead } from '../frame/page-head.tsx'
import { Failure, Loading } from '../frame/states.tsx'
import { useMoney } from '../settings.ts'
import css from './cart.module.css'
import { CartItem } from './cart-item.tsx'
import { useCheckedCart } from './checked-cart.ts'
import { t } from './text.ts'

export function CartPage() {
  const lines = useCart()
  const money = useMoney()
  const { data, error, refetch } = useCheckedCart(lines)
  if (lines.length === 0) return <EmptyCart />
  if (error) return <Failure error={error} reset={refetch} />
  if (data === undefined) return <Loading />
  const items = lines.flatMap((line) => {
    const item = data.items.find(({ productId }) => productId === line.productId)
    return item === undefined ? [] : [{ ...item, quantity: line.quantity }]
  })
  return (
    <>
      <PageHead title={t.cart} isHidden />
      <h1>{t.cart}</h1>
      <div className={css.page}>
        <ul className={css.items}>
          {items.map((item) => (
            <CartItem
              key={item.productId}
              item={item}
              onQuantity={(quantity) => setQuantity(item.productId, quantity)}
            />
          ))}
        </ul>
        <div className={css.summary}>
          <p className={css.total} role="status">
            <span>{t.total}</span> <strong>{money(data.total)}</strong>
          </p>
          {data.valid ? (
            <Link to="/checkout" className={common.primary}>
              {t.checkout}
            </Link>
          ) : (
            <p className={common.fault}>{t.fix}</p>
          )}
        </div>
      </div>
    </>
  )
}

export function EmptyCart() {
  return (
    <>
      <PageHead title={t.cart} isHidden />
      <h1>{t.empty}</h1>
      <p>{t.emptyExplained}</p>
      <Link to="/categories" className={common.primary}>
        {t.catalogue}
      </Link>
    </>
  )
}
