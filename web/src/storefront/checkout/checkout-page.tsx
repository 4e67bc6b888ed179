import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ApiFailure } from '../../api/failure.ts'
import { readDeliveryMethods } from '../../ui/delivery.ts'
import { checked, line, reads, text } from '../../ui/form-data.ts'
import { profileQuery } from '../account/session.ts'
import { writeToken } from '../api.ts'
import { EmptyCart } from '../cart/cart-page.tsx'
import { useCheckedCart } from '../cart/checked-cart.ts'
import { emptyCart, useCart } from '../cart.ts'
import common from '../frame/common.module.css'
import { ConsentField } from '../frame/consent-field.tsx'
import { Field, Form } from '../frame/form.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { Failure, Loading } from '../frame/states.tsx'
import { useSettings } from '../settings.ts'
import css from './checkout.module.css'
import { DeliveryField } from './delivery-field.tsx'
import { isAnswer, readPending, sendOrder } from './pending-order.ts'
import { Summary } from './summary.tsx'
import { t } from './text.ts'

const readForm = reads({
  customerName: line,
  customerPhone: line,
  customerEmail: text,
  deliveryMethod: text,
  deliveryAddress: text,
  comment: text,
  consent: checked,
})

export function CheckoutPage() {
  const lines = useCart()
  const navigate = useNavigate()
  const [pending, setPending] = useState(readPending)
  const profile = useQuery(profileQuery)
  const [method, setMethod] = useState(pending?.body.deliveryMethod ?? null)
  const hasMethods = readDeliveryMethods(useSettings().delivery_methods).length > 0
  const cart = useCheckedCart(lines, (hasMethods && method) || undefined)
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

  function submit(form: FormData): void {
    const items = lines.map(({ productId, quantity }) => ({ productId, quantity }))
    const next = pending ?? { key: crypto.randomUUID(), sentAt: Date.now(), body: { ...readForm(form), items } }
    setPending(next)
    send(next)
  }

  if (lines.length === 0 && pending === null) return <EmptyCart />
  if (cart.error) return <Failure error={cart.error} reset={cart.refetch} />
  // Fields take their values once.
  if (cart.isLoading || profile.isLoading) return <Loading />
  const isWaiting = pending !== null
  const customer = profile.data ?? { name: '', phone: '', email: '' }
  const { customerName, customerPhone, customerEmail, deliveryAddress, comment } = pending?.body ?? {
    customerName: customer.name,
    customerPhone: customer.phone,
    customerEmail: customer.email,
  }
  return (
    <>
      <PageHead title={t.title} isHidden />
      <h1>{t.title}</h1>
      <div className={css.page}>
        <Form sending={order} onSubmit={submit} button={order.isPending ? t.sending : isWaiting ? t.again : t.order}>
          {!profile.data && (
            <p className={common.notice}>
              <Link to="/account">{t.signIn}</Link> {t.signInExplained}
            </p>
          )}
          <fieldset className={css.fields} disabled={isWaiting}>
            <Field label={t.name} name="customerName" autoComplete="name" required defaultValue={customerName} />
            <Field
              label={t.phone}
              name="customerPhone"
              type="tel"
              autoComplete="tel"
              required
              defaultValue={customerPhone}
            />
            <Field
              label={t.email}
              name="customerEmail"
              type="email"
              autoComplete="email"
              hint={t.emailHint}
              defaultValue={customerEmail}
            />
            <DeliveryField value={method} onChange={setMethod} />
            <Field
              label={t.address}
              name="deliveryAddress"
              autoComplete="street-address"
              defaultValue={deliveryAddress}
            />
            <Field label={t.comment} name="comment" rows={3} defaultValue={comment} />
          </fieldset>
          {!isWaiting && <ConsentField />}
          {order.error && isWaiting && <p className={common.notice}>{t.unanswered}</p>}
        </Form>
        <Summary cart={cart.data} error={order.error} isFixed={isWaiting} />
      </div>
    </>
  )
}
