import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { done, got, shop } from '../api.ts'
import { formatTime } from '../format.ts'
import common from '../frame/common.module.css'
import { PageHead } from '../frame/page-head.tsx'
import { Failure, FailureNote, Loading } from '../frame/states.tsx'
import css from './order.module.css'
import { OrderLines } from './order-lines.tsx'
import { t } from './text.ts'

const REREAD_MS = 30_000

/** The state of an order, for whoever has its link. */
export function OrderPage() {
  const { token } = useParams({ from: '/order/$token' })
  const client = useQueryClient()
  const params = { path: { trackingToken: token } }
  const queryKey = ['order', token]
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => got(shop.GET('/api/v1/orders/track/{trackingToken}', { params, signal })),
    refetchInterval: REREAD_MS,
  })
  const cancel = useMutation({
    mutationFn: () => done(shop.POST('/api/v1/orders/track/{trackingToken}/cancel', { params })),
    onSettled: () => client.invalidateQueries({ queryKey }),
  })
  if (error && data === undefined) return <Failure error={error} reset={refetch} />
  if (data === undefined) return <Loading />
  return (
    <>
      <PageHead title={`${t.order} ${data.number}`} isHidden />
      <h1>
        {t.order} {data.number}
      </h1>
      <div className={css.page}>
        <p className={common.notice} role="status">
          <strong>{t.statuses[data.status]}.</strong> {t.explained[data.status]}
        </p>
        <div className={common.card}>
          <p className={css.dates}>
            {data.customerName}, {formatTime(data.createdAt)}
          </p>
          <OrderLines order={data} />
        </div>
        {cancel.error && <FailureNote error={cancel.error} />}
        {data.cancellable && <CancelButton isPending={cancel.isPending} onCancel={cancel.mutate} />}
        <p className={common.muted}>{t.keepLink}</p>
      </div>
    </>
  )
}

/** Asks once more before it cancels. */
export function CancelButton({ isPending, onCancel }: { isPending: boolean; onCancel: () => void }) {
  const [isAsking, setAsking] = useState(false)
  if (!isAsking) {
    return (
      <div>
        <button type="button" className={common.button} onClick={() => setAsking(true)}>
          {t.cancel}
        </button>
      </div>
    )
  }
  return (
    <fieldset className={css.question}>
      <legend>{t.sure}</legend>
      <button type="button" className={common.primary} disabled={isPending} onClick={onCancel}>
        {t.yes}
      </button>
      <button type="button" className={common.button} onClick={() => setAsking(false)}>
        {t.no}
      </button>
    </fieldset>
  )
}
