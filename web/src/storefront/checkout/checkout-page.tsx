import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useEffect, useState } from 'react'
import { ApiFailure, fieldFaults } from '../../api/failure.ts'
import { profileQuery } from '../account/profile-query.ts'
import { writeToken } from '../api.ts'
import { EmptyCart } from '../cart/cart-page.tsx'
import { useCheckedCart } from '../cart/checked-cart.ts'
import { emptyCart, useCart } from '../cart.ts'
import common from '../frame/common.module.css'
import { Field, readLine, readText } from '../frame/field.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { Failure, FailureNote, Loading } from '../frame/states.tsx'
import css from './checkout.module.css'
import { isAnswer, type PendingOrder, readPending, sendOrder } from './pending-order.ts'
import { Summary } from './summary.tsx'
import { t } from './text.ts'

export function CheckoutPage() {
  const lines = useCart()
  const navigate = useNavigate()
  const [pending, setPending] = useState(readPending)
  const profile = useQuery(profileQuery)
  const cart = useCheckedCart(lines)
  const order = useMutation({
    mutationFn: sendOrder,
    onSuccess: async (token) => {
      if (token === null) await navigate({ to: '/account' })
      else await navigate({ to: '/order/$token', params: { token }, search: {} })
      emptyCart()
    },
    onError: (error) => {
      if (!isAnswer(error)) return
      // It was not placed: the form can be changed and sent as another order.
      setPending(null)
      if (error instanceof ApiFailure && error.status === 401) writeToken(null)
      void cart.refetch()
    },
  })
  const { mutate: send } = order

  // The answer was lost with the page, as by a reload: the same order is asked for again.
  useEffect(() => {
    const lost = readPending()
    if (lost !== null) send(lost)
  }, [send])

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const next: PendingOrder = pending ?? {
      key: crypto.randomUUID(),
      sentAt: Date.now(),
      body: {
        customerName: readLine(form, 'customerName'),
        customerPhone: readLine(form, 'customerPhone'),
        customerEmail: readText(form, 'customerEmail'),
        deliveryMethod: readText(form, 'deliveryMethod'),
        deliveryAddress: readText(form, 'deliveryAddress'),
        comment: readText(form, 'comment'),
        items: lines.map(({ productId, quantity }) => ({ productId, quantity })),
      },
    }
    setPending(next)
    send(next)
  }

  if (lines.length === 0 && pending === null) return <EmptyCart />
  if (cart.error) return <Failure error={cart.error} reset={cart.refetch} />
  // Fields take their values once.
  if (cart.isLoading || profile.isLoading) return <Loading />
  const faults = fieldFaults(order.error)
  const isWaiting = pending !== null
  const sent = pending?.body
  return (
    <>
      <PageHead title={t.title} isHidden />
      <h1>{t.title}</h1>
      <div className={css.page}>
        <form className={css.form} onSubmit={submit} noValidate>
          {!profile.data && (
            <p className={common.notice}>
              <Link to="/account">{t.signIn}</Link> {t.signInExplained}
            </p>
          )}
          <Field
            label={t.name}
            name="customerName"
            autoComplete="name"
            required
            readOnly={isWaiting}
            defaultValue={sent?.customerName ?? profile.data?.name ?? ''}
            fault={faults.customerName}
          />
          <Field
            label={t.phone}
            name="customerPhone"
            type="tel"
            autoComplete="tel"
            required
            readOnly={isWaiting}
            defaultValue={sent?.customerPhone ?? profile.data?.phone ?? ''}
            fault={faults.customerPhone}
          />
          <Field
            label={t.email}
            name="customerEmail"
            type="email"
            autoComplete="email"
            hint={t.emailHint}
            readOnly={isWaiting}
            defaultValue={sent?.customerEmail ?? profile.data?.email ?? ''}
            fault={faults.customerEmail}
          />
          <Field
            label={t.method}
            name="deliveryMethod"
            hint={t.methodHint}
            readOnly={isWaiting}
            defaultValue={sent?.deliveryMethod ?? ''}
            fault={faults.deliveryMethod}
          />
          <Field
            label={t.address}
            name="deliveryAddress"
            autoComplete="street-address"
            readOnly={isWaiting}
            defaultValue={sent?.deliveryAddress ?? ''}
            fault={faults.deliveryAddress}
          />
          <Field
            label={t.comment}
            name="comment"
            rows={3}
            readOnly={isWaiting}
            defaultValue={sent?.comment ?? ''}
            fault={faults.comment}
          />
          {order.error && <FailureNote error={order.error} />}
          {order.error && isWaiting && <p className={common.notice}>{t.unanswered}</p>}
          <button type="submit" className={common.primary} disabled={order.isPending}>
            {order.isPending ? t.sending : isWaiting ? t.again : t.order}
          </button>
        </form>
        <Summary cart={cart.data} error={order.error} isFixed={isWaiting} />
      </div>
    </>
  )
}
