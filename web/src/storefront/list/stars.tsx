import { formatNumber } from '../format.ts'
import { t } from '../text.ts'
import css from './stars.module.css'

const MAX_STARS = 5

/** Stars, and of how many reviews. */
export function Stars({ rating }: { rating: { average: number; count?: number } }) {
  const full = Math.round(rating.average)
  return (
    <span className={css.rating}>
      <span role="img" aria-label={`${formatNumber(rating.average)} ${t.stars}`} className={css.stars}>
        {'★'.repeat(full)}
        <span className={css.rest}>{'★'.repeat(MAX_STARS - full)}</span>
      </span>
      {rating.count !== undefined && <span>{t.reviews(rating.count)}</span>}
    </span>
  )
}
