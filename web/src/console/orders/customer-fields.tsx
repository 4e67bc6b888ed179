import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, got, type Schemas } from '../../api/client.ts'
import { readDeliveryMethods } from '../../ui/delivery.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { line, text } from '../../ui/form-data.ts'
import { DASH, formatMoney } from '../../ui/format.ts'
import css from '../../ui/page.module.css'
import { t } from './text.ts'

const MIN_SEARCH_LENGTH = 2
const MAX_FOUND = 20

export const CUSTOMER = {
  customerName: line,
  customerPhone: line,
  customerEmail: text,
  deliveryMethod: text,
  deliveryAddress: text,
  comment: text,
}

/** Who ordered, and where it goes. */
export function CustomerFields({ order }: { order?: Schemas['OrderDetails'] }) {
  return (
    <>
      <TextField name="customerName" label={t.personName} defaultValue={order?.customerName} autoComplete="off" />
      <TextField name="customerPhone" type="tel" label={t.phone} defaultValue={order?.customerPhone} />
      <TextField name="customerEmail" label={t.email} defaultValue={order?.customerEmail} autoComplete="off" />
      <DeliveryField chosen={order?.deliveryMethod ?? ''} />
      <TextField name="deliveryAddress" rows={2} label={t.deliveryAddress} defaultValue={order?.deliveryAddress} />
      <TextField name="comment" rows={2} label={t.comment} defaultValue={order?.comment} />
    </>
  )
}

/** One of the shop's methods, or a text where it has none. */
function DeliveryField({ chosen }: { chosen: string }) {
  const settings = useQuery({ queryKey: ['settings', 'public'], queryFn: () => got(api.GET('/api/v1/config/public')) })
  const methods = readDeliveryMethods(settings.data?.delivery_methods)
  if (methods.length === 0) return <TextField name="deliveryMethod" label={t.deliveryMethod} defaultValue={chosen} />
  const options = methods.map(({ code, name, price }): [string, string] => [code, `${name}: ${formatMoney(price)}`])
  const isKnown = options.some(([code]) => code === chosen)
  return (
    <SelectField
      name="deliveryMethod"
      label={t.deliveryMethod}
      options={isKnown ? options : [[chosen, chosen || DASH], ...options]}
      defaultValue={chosen}
    />
  )
}

/** The account in which a customer sees the order. */
export function CustomerField() {
  const [typed, setTyped] = useState('')
  const search = typed.trim()
  const found = useQuery({
    queryKey: ['users', 'customers', search],
    queryFn: () =>
      got(api.GET('/api/v1/admin/users', { params: { query: { search, role: 'USER', size: MAX_FOUND } } })),
    enabled: search.length >= MIN_SEARCH_LENGTH,
  })
  const options = (found.data?.content ?? []).map(({ id, name, email }): [string, string] => [
    String(id),
    `${name}, ${email}`,
  ])
  return (
    <div className={css.grid}>
      <TextField type="search" label={t.search} placeholder={t.accountHint} value={typed} onChange={setTyped} />
      <SelectField name="customerId" label={t.account} options={[['', t.noAccount], ...options]} />
    </div>
  )
}
