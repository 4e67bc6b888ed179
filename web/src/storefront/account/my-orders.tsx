import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { account, done, got } from '../api.ts'
import { formatTime } from '../format.ts'
import common from '../frame/common.module.css'
import { Failure, FailureNote, Loading } from '../frame/states.tsx'
import { OrderLines } from '../order/order-lines.tsx'
import { CancelButton } from '../order/order-page.tsx'
import { t as orderText } from '../order/text.ts'
import { useMoney } from '../settings.ts'
import css from './account.module.css'
import { t } from './text.ts'

const SIZE = 10

export function MyOrders() {
  const [page, setPage] = useState(0)
  const client = useQueryClient()
  const money = useMoney()
  const { data, error, refetch } = useQuery({
    queryKey: ['orders', page],
    queryFn: ({ signal }) => got(account.GET('/api/v1/orders/my', { params: { query: { page, size: SIZE } }, signal })),
    placeholderData: keepPreviousData,
  })
  const cancel = useMutation({
    mutationFn: (id: number) => done(account.POST('/api/v1/orders/{id}/cancel', { params: { path: { id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: ['orders'] }),
  })
  if (error) return <Failure error={error} reset={refetch} />
  if (data === undefined) return <Loading />
  return (
    <section className={common.stack}>
      <h2>{t.myOrders}</h2>
      {data.totalElements === 0 && <p className={common.muted}>{t.noOrders}</p>}
      {data.content.map((order) => (
        <details key={order.id} className={common.card}>
          <summary className={css.summary}>
            <strong>
              {orderText.order} {order.number}
            </strong>
            <span>{orderText.statuses[order.status]}</span>
            <span className={common.muted}>{formatTime(order.createdAt)}</span>
            <span>{money(order.total)}</span>
          </summary>
          <OrderLines order={order} />
          {cancel.error && cancel.variables === order.id && <FailureNote error={cancel.error} />}
          {order.status === 'NEW' && (
            <CancelButton isPending={cancel.isPending} onCancel={() => cancel.mutate(order.id)} />
          )}
        </details>
      ))}
      {data.totalPages > 1 && (
        <div className={common.row}>
          <button type="button" className={common.button} disabled={data.first} onClick={() => setPage(page - 1)}>
            {t.previous}
          </button>
          <button type="button" className={common.button} disabled={data.last} onClick={() => setPage(page + 1)}>
            {t.next}
          </button>
        </div>
      )}
    </section>
  )
}
