import { Link } from '@tanstack/react-router'
import type { Schemas } from '../api.ts'
import { addToCart, useCart } from '../cart.ts'
import common from '../frame/common.module.css'
import { useMoney } from '../settings.ts'
import { t } from '../text.ts'
import { Picture } from './picture.tsx'
import { Stars } from './stars.tsx'
import css from './tile.module.css'

/** A product in a list. */
export function Tile({ product, isFirst = false }: { product: Schemas['Product']; isFirst?: boolean }) {
  const { id, name, slug, images, rating } = product
  return (
    <li className={css.tile}>
      <Picture image={images[0]} sizes="(max-width: 700px) 46vw, 230px" isFirst={isFirst} />
      <Link to="/products/$slug" params={{ slug }} className={css.name}>
        {name}
      </Link>
      {rating !== null && <Stars rating={rating} />}
      <div className={css.bottom}>
        <Price product={product} />
        <AddButton id={id} name={name} isAvailable={product.available} />
      </div>
    </li>
  )
}

export function Price({ product }: { product: Pick<Schemas['Product'], 'finalPrice' | 'oldPrice'> }) {
  const money = useMoney()
  if (!product.finalPrice) return <span className={common.muted}>{t.noPrice}</span>
  return (
    <span className={css.price}>
      {money(product.finalPrice)}
      {product.oldPrice !== null && (
        <s className={css.old}>
          <span className={common.hidden}>{t.oldPrice}</span> {money(product.oldPrice)}
        </s>
      )}
    </span>
  )
}

/** Puts one piece into the cart, then leads there. */
export function AddButton({ id, name, isAvailable }: { id: number; name: string; isAvailable: boolean }) {
  const isInCart = useCart().some(({ productId }) => productId === id)
  if (isInCart) {
    return (
      <Link to="/cart" className={common.button} aria-label={`${t.added}: ${name}`}>
        <span aria-hidden="true">✓</span> {t.added}
      </Link>
    )
  }
  if (!isAvailable) return <span className={css.sold}>{t.outOfStock}</span>
  return (
    <button type="button" className={common.primary} aria-label={`${t.add}: ${name}`} onClick={() => addToCart(id)}>
      {t.add}
    </button>
  )
}
