import { checkAll, invalid } from '../../errors.ts'
import { oneLine, optionalText, VISIBLE } from '../text.ts'

/** The schema accepts control characters as text; oneLine removes them. @throws AppError 400 for a blank name */
export function readCustomerName(text: string, path = 'customerName'): string {
  const name = oneLine(text)
  if (!VISIBLE.test(name)) throw invalid({ path, message: 'must not be empty' })
  return name
}

/** Whether a field for an email is blank or has a valid address. */
export function isBlankOrEmail(text: string): boolean {
  return /^([^\s@]+@[^\s@]+)?$/.test(oneLine(text))
}

/** Returns one line of text, or null for none: a line break could forge further lines of a mail. */
export function optionalLine(text: string | null | undefined): string | null {
  return oneLine(text ?? '') || null
}

type Correction = {
  customerName?: string
  customerPhone?: string
  customerEmail?: string | null
  deliveryMethod?: string | null
  deliveryAddress?: string | null
  comment?: string | null
  adminComment?: string | null
}

/**
 * Reads staff's corrections by the rules for placing an order.
 * @returns the columns; absent fields are undefined
 * @throws AppError 400 with a detail for each invalid field
 */
export function readCorrection(change: Correction) {
  const given = <Value, Result>(value: Value | undefined, read: (value: Value) => Result) =>
    value === undefined ? undefined : read(value)
  return checkAll({
    customer_name: () => given(change.customerName, (name) => readCustomerName(name)),
    customer_phone: () => given(change.customerPhone, oneLine),
    customer_email: () => given(change.customerEmail, optionalLine),
    delivery_method: () => given(change.deliveryMethod, optionalLine),
    delivery_address: () => given(change.deliveryAddress, optionalLine),
    comment: () => given(change.comment, optionalText),
    admin_comment: () => given(change.adminComment, optionalText),
  })
}
