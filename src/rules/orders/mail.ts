type MailOrder = {
  id: number
  number: string
  customer_name: string
  customer_phone: string
  customer_email: string | null
  delivery_method: string | null
  delivery_address: string | null
  comment: string | null
}
/** Price and sum are decimal text. */
type MailLine = { product_name: string; quantity: number; price_at_order: string; line_total: string }

/** The mail to staff about a new order, in Russian. @param total decimal text */
export function orderMail(
  order: MailOrder,
  lines: MailLine[],
  { total, currency, siteUrl }: { total: string; currency: string; siteUrl: string },
): { subject: string; body: string } {
  const optional = (name: string, value: string | null) => (value === null ? [] : [`${name}: ${value}`])
  const items = lines.map(
    (line, index) =>
      `${index + 1}. ${line.product_name} — ${line.quantity} × ${line.price_at_order} = ${line.line_total}`,
  )
  const body = [
    `Новый заказ № ${order.number}`,
    '',
    `Покупатель: ${order.customer_name}`,
    `Телефон: ${order.customer_phone}`,
    ...optional('Email', order.customer_email),
    ...optional('Доставка', order.delivery_method),
    ...optional('Адрес', order.delivery_address),
    ...optional('Комментарий', order.comment),
    '',
    ...items,
    '',
    `Итого: ${total} ${currency}`,
    '',
    `${siteUrl}/admin/orders/${order.id}`,
  ]
  return { subject: `Новый заказ № ${order.number}`, body: `${body.join('\n')}\n` }
}
