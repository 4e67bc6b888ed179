import type { Schemas } from '../../api/client.ts'
import { TextField } from '../../ui/fields.tsx'
import { line, text } from '../../ui/form-data.ts'
import { t } from './text.ts'

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
      <TextField name="deliveryMethod" label={t.deliveryMethod} defaultValue={order?.deliveryMethod} />
      <TextField name="deliveryAddress" rows={2} label={t.deliveryAddress} defaultValue={order?.deliveryAddress} />
      <TextField name="comment" rows={2} label={t.comment} defaultValue={order?.comment} />
    </>
  )
}
