import { oneLine, optionalLine, optionalText } from '../text.ts'

type Correction = {
  customerName?: string
  customerPhone?: string
  customerEmail?: string | null
  deliveryMethod?: string | null
  deliveryAddress?: string | null
  comment?: string | null
  adminComment?: string | null
}

/** The columns of staff's corrections, by the rules for placing an order; undefined for absent fields. */
export function correctedColumns(change: Correction) {
  const given = <Value, Column>(value: Value | undefined, toColumn: (value: Value) => Column) =>
    value === undefined ? undefined : toColumn(value)
  return {
    customer_name: given(change.customerName, oneLine),
    customer_phone: given(change.customerPhone, oneLine),
    customer_email: given(change.customerEmail, optionalLine),
    delivery_method: given(change.deliveryMethod, optionalLine),
    delivery_address: given(change.deliveryAddress, optionalLine),
    comment: given(change.comment, optionalText),
    admin_comment: given(change.adminComment, optionalText),
  }
}
