import { useQuery } from '@tanstack/react-query'
import { got, shop } from '../api.ts'
import { formatDay } from '../format.ts'
import common from '../frame/common.module.css'
import { Stars } from '../list/stars.tsx'
import css from './product.module.css'
import { t } from './text.ts'

const SIZE = 20

export function Reviews({ productId }: { productId: number }) {
  const { data } = useQuery({
    queryKey: ['reviews', productId],
    queryFn: ({ signal }) =>
      got(shop.GET('/api/v1/reviews/active', { params: { query: { productId, size: SIZE } }, signal })),
  })
  if (data === undefined || data.length === 0) return null
  return (
    <section className={css.section}>
      <h2>{t.reviews}</h2>
      <div className={common.stack}>
        {data.map(({ id, author, rating, text, reviewDate }) => (
          <article key={id} className={common.card}>
            <Stars rating={{ average: rating }} />
            <p>{text}</p>
            <span className={common.muted}>
              {author}, {formatDay(reviewDate)}
            </span>
          </article>
        ))}
      </div>
    </section>
  )
}
