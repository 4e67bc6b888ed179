import { escapeUTF8 } from 'entities'
import { amountFormat, formatTime, type MailContext, translator } from '../mail/render.ts'

/** Its hash is in the policy of the page. */
export const SLIP_STYLE = `
@page { size: A4; margin: 15mm }
body { font: 11pt/1.4 system-ui, sans-serif; max-width: 180mm; margin: 10mm auto }
h1 { font-size: 16pt; margin: 0 0 1mm }
p { margin: 0 0 6mm }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 1mm 5mm; margin: 0 0 6mm }
dt { color: #555 }
dd { margin: 0; white-space: pre-line; overflow-wrap: anywhere }
table { width: 100%; border-collapse: collapse }
th, td { padding: 1.5mm 2mm; border-bottom: 1px solid #999; text-align: left; vertical-align: top; overflow-wrap: anywhere }
thead { display: table-header-group }
tr { break-inside: avoid }
th { border-bottom: 2px solid #000; overflow-wrap: normal }
.number { text-align: right; white-space: nowrap }
tfoot td { border: 0 }
.total { font-weight: bold }
@media screen and (max-width: 600px) { body { font-size: 8pt; margin: 4mm } th, td { padding: 1mm } }
`

/** A row of `orders`. Amounts are decimal text. */
type PrintedOrder = {
  number: string
  created_at: Date
  customer_name: string
  customer_phone: string | null
  delivery_method: string | null
  delivery_address: string | null
  comment: string | null
  delivery_cost: string
  items_total: string
  total: string
}
type PrintedLine = {
  product_external_id: string | null
  product_name: string
  quantity: number
  price_at_order: string
  line_total: string
}

/** Renders the packing slip of an order as HTML (docs/orders.md). @param prices whether it shows amounts */
export function renderSlip(
  context: MailContext & { company: string },
  order: PrintedOrder,
  lines: PrintedLine[],
  { prices }: { prices: boolean },
): string {
  const say = translator(context)
  const amount = amountFormat(context)
  const title = say(`Заказ № ${order.number}`, `Order ${order.number}`)
  const fact = (name: string, value: string | null) => (value ? `<dt>${name}</dt><dd>${escapeUTF8(value)}</dd>` : '')
  const facts = [
    fact(say('Дата', 'Date'), formatTime(order.created_at, context)),
    fact(say('Покупатель', 'Customer'), order.customer_name),
    fact(say('Телефон', 'Phone'), order.customer_phone),
    fact(say('Доставка', 'Delivery'), order.delivery_method),
    fact(say('Адрес', 'Address'), order.delivery_address),
    fact(say('Комментарий', 'Comment'), order.comment),
  ].join('')

  const number = (text: string | number, name = 'td') => `<${name} class="number">${text}</${name}>`
  const heads = ['№', say('Артикул', 'Article'), say('Товар', 'Product')].map((head) => `<th>${head}</th>`).join('')
  const amounts = prices
    ? [say('Цена', 'Price'), say('Сумма', 'Amount')].map((head) => number(head, 'th')).join('')
    : ''
  const rows = lines.map(({ product_external_id, product_name, quantity, price_at_order, line_total }, index) => {
    const texts = [index + 1, escapeUTF8(product_external_id ?? ''), escapeUTF8(product_name)]
    const cells = texts.map((text) => `<td>${text}</td>`).join('')
    const paid = prices ? number(amount(price_at_order)) + number(amount(line_total)) : ''
    return `<tr>${cells}${number(quantity)}${paid}</tr>`
  })
  const sum = (name: string, value: string, total = '') =>
    `<tr${total}><td colspan="5" class="number">${name}</td>${number(amount(value))}</tr>`
  const sums = [
    sum(say('Товары', 'Items'), order.items_total),
    sum(say('Доставка', 'Delivery'), order.delivery_cost),
    sum(say('Итого', 'Total'), order.total, ' class="total"'),
  ].join('')

  const { language, siteName, company } = context
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${SLIP_STYLE}</style></head>
<body><h1>${title}</h1><p>${escapeUTF8([siteName, company].filter(Boolean).join(' · '))}</p><dl>${facts}</dl>
<table><thead><tr>${heads}${number(say('Кол-во', 'Quantity'), 'th')}${amounts}</tr></thead>
<tbody>${rows.join('\n')}</tbody>${prices ? `<tfoot>${sums}</tfoot>` : ''}</table></body></html>
`
}
