import {
  amountFormat,
  type Block,
  emailOrHarmless,
  facts,
  harmless,
  type MailContext,
  quoted,
  type RenderedMail,
  renderMail,
  translator,
} from './render.ts'

/** A row of `orders`; its texts are a stranger's. */
type MailedOrder = {
  id: number
  number: string
  customer_name: string
  customer_phone: string | null
  customer_email: string | null
  delivery_method: string | null
  delivery_address: string | null
  comment: string | null
  /** Decimal text, as the total. */
  delivery_cost: string
  total: string
}
/** A row of `order_items`; amounts are decimal text. */
type MailedLine = { product_name: string; quantity: number; price_at_order: string; line_total: string }

/** The mail to staff about a new order. */
export function newOrderMail(context: MailContext, order: MailedOrder, lines: MailedLine[]): RenderedMail {
  const say = translator(context)
  const title = say(`Новый заказ № ${order.number}`, `New order ${order.number}`)
  const { customer_phone: phone, customer_email: email, comment } = order
  const contact = facts([say('Телефон', 'Phone'), phone && harmless(phone)], ['Email', email && emailOrHarmless(email)])
  const blocks: Block[] = [
    title,
    `${recipientOf(context, order)}\n${contact}`,
    ...(comment === null ? [] : [say('Комментарий:', 'Comment:'), quoted(comment)]),
    ...orderedLines(context, order, lines),
    { link: `${context.siteUrl}/admin/orders/${order.id}`, label: title },
  ]
  return renderMail({ subject: title, blocks }, context)
}

/**
 * The mail to the customer about the order just placed. It doesn't repeat the comment, as anyone can order under someone
 * else's address.
 * @param url where the order can be followed and cancelled
 */
export function orderConfirmationMail(
  context: MailContext,
  order: MailedOrder,
  lines: MailedLine[],
  { url }: { url: string },
): RenderedMail {
  const { siteName } = context
  const { number } = order
  const say = translator(context)
  const thanks = say(
    `Спасибо! Магазин «${siteName}» получил ваш заказ № ${number}.`,
    `Thank you! ${siteName} has received your order ${number}.`,
  )
  const cancel = say(
    'Пока заказ не взят в работу, по этой ссылке его можно отменить.',
    'Until the shop takes it up, the order can be cancelled by this link.',
  )
  const link = { link: url, label: say('Состояние заказа', 'Order status') }
  const blocks = [thanks, recipientOf(context, order), ...orderedLines(context, order, lines), link, cancel]
  const subject = `${siteName}: ${say(`Заказ № ${number} принят`, `Order ${number} received`)}`
  return renderMail({ subject, blocks }, context)
}

/** Statuses that customers get a mail about. */
export const MAILED_STATUSES = ['SENT', 'COMPLETED', 'CANCELLED'] as const
export type MailedStatus = (typeof MAILED_STATUSES)[number]

/** What follows the order's number in the subject, and what a mail adds to that. */
const STATUS_TEXTS = {
  SENT: {
    ru: ['подтверждён', ' и передан в исполнение.'],
    en: ['is confirmed', ' and will be fulfilled.'],
  },
  COMPLETED: { ru: ['выполнен', '. Спасибо за покупку!'], en: ['is completed', '. Thank you!'] },
  CANCELLED: {
    ru: ['отменён', '. Если это ошибка, свяжитесь с магазином.'],
    en: ['is cancelled', '. If that is a mistake, please contact the shop.'],
  },
}

/**
 * The mail to the customer about a new status, with what is to pay, as staff may have set the delivery cost.
 * @param url null when the link is no longer known
 */
export function orderStatusMail(
  context: MailContext,
  { number, delivery_cost, total }: Pick<MailedOrder, 'number' | 'delivery_cost' | 'total'>,
  status: MailedStatus,
  { url }: { url: string | null },
): RenderedMail {
  const { siteName, language } = context
  const say = translator(context)
  const [state = '', more = ''] = STATUS_TEXTS[status][language]
  const blocks: Block[] = [`${say(`Заказ № ${number}`, `Your order ${number}`)} ${state}${more}`]
  if (status !== 'CANCELLED') blocks.push(totals(context, { delivery_cost, total }))
  if (url !== null) blocks.push({ link: url, label: say('Состояние заказа', 'Order status') })
  const subject = `${siteName}: ${say(`Заказ № ${number}`, `Order ${number}`)} ${state}`
  return renderMail({ subject, blocks }, context)
}

function recipientOf(context: MailContext, order: MailedOrder): string {
  const say = translator(context)
  const { customer_name: customer, delivery_method: method, delivery_address: address } = order
  return facts(
    [say('Покупатель', 'Customer'), harmless(customer)],
    [say('Доставка', 'Delivery'), method && harmless(method)],
    [say('Адрес', 'Address'), address && harmless(address)],
  )
}

function orderedLines(context: MailContext, order: MailedOrder, lines: MailedLine[]): string[] {
  const amount = amountFormat(context)
  const listed = lines.map(({ product_name, quantity, price_at_order, line_total }, index) => {
    return `${index + 1}. ${harmless(product_name)} — ${quantity} × ${amount(price_at_order)} = ${amount(line_total)}`
  })
  return [listed.join('\n'), totals(context, order)]
}

function totals(context: MailContext, { delivery_cost, total }: Pick<MailedOrder, 'delivery_cost' | 'total'>): string {
  const say = translator(context)
  const amount = amountFormat(context)
  const delivery = Number(delivery_cost) === 0 ? null : amount(delivery_cost)
  return facts([say('Стоимость доставки', 'Delivery cost'), delivery], [say('Итого', 'Total'), amount(total)])
}
