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
} from './render.ts'

/** A row of `orders`; its texts are a stranger's. */
type MailedOrder = {
  id: number
  number: string
  customer_name: string
  customer_phone: string
  customer_email: string | null
  delivery_method: string | null
  delivery_address: string | null
  comment: string | null
  /** Decimal text. */
  total: string
}
/** A row of `order_items`; amounts are decimal text. */
type MailedLine = { product_name: string; quantity: number; price_at_order: string; line_total: string }

/** The mail to staff about a new order. */
export function newOrderMail(context: MailContext, order: MailedOrder, lines: MailedLine[]): RenderedMail {
  const texts = {
    ru: { title: `Новый заказ № ${order.number}`, phone: 'Телефон', email: 'Email', comment: 'Комментарий:' },
    en: { title: `New order ${order.number}`, phone: 'Phone', email: 'Email', comment: 'Comment:' },
  }[context.language]
  const { customer_phone: phone, customer_email: email, comment } = order
  const contact = facts([texts.phone, harmless(phone)], [texts.email, email && emailOrHarmless(email)])
  const blocks: Block[] = [
    texts.title,
    `${recipientOf(context, order)}\n${contact}`,
    ...(comment === null ? [] : [texts.comment, quoted(comment)]),
    ...orderedLines(context, order, lines),
    { link: `${context.siteUrl}/admin/orders/${order.id}`, label: texts.title },
  ]
  return renderMail({ subject: texts.title, blocks }, context)
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
  const texts = {
    ru: {
      title: `Заказ № ${order.number} принят`,
      thanks: `Спасибо! Магазин «${siteName}» получил ваш заказ № ${order.number}.`,
      follow: 'Состояние заказа',
      cancel: 'Пока заказ не взят в работу, по этой ссылке его можно отменить.',
    },
    en: {
      title: `Order ${order.number} received`,
      thanks: `Thank you! ${siteName} has received your order ${order.number}.`,
      follow: 'Order status',
      cancel: 'Until the shop takes it up, the order can be cancelled by this link.',
    },
  }[context.language]
  const blocks: Block[] = [
    texts.thanks,
    recipientOf(context, order),
    ...orderedLines(context, order, lines),
    { link: url, label: texts.follow },
    texts.cancel,
  ]
  return renderMail({ subject: `${siteName}: ${texts.title}`, blocks }, context)
}

/** Statuses that customers get a mail about. */
export const MAILED_STATUSES = ['SENT', 'COMPLETED', 'CANCELLED'] as const
export type MailedStatus = (typeof MAILED_STATUSES)[number]

/**
 * The mail to the customer about a new status, with what is to pay, as staff may have set the delivery cost.
 * @param url null when the link is no longer known
 */
export function orderStatusMail(
  context: MailContext,
  { number, delivery_cost, total }: Pick<MailedOrder, 'number' | 'total'> & { delivery_cost: string },
  status: MailedStatus,
  { url }: { url: string | null },
): RenderedMail {
  const { siteName } = context
  const texts = {
    ru: {
      SENT: [`Заказ № ${number} подтверждён`, `Заказ № ${number} подтверждён и передан в исполнение.`],
      COMPLETED: [`Заказ № ${number} выполнен`, `Заказ № ${number} выполнен. Спасибо за покупку!`],
      CANCELLED: [`Заказ № ${number} отменён`, `Заказ № ${number} отменён. Если это ошибка, свяжитесь с магазином.`],
      follow: 'Состояние заказа',
      delivery: 'Стоимость доставки',
    },
    en: {
      SENT: [`Order ${number} is confirmed`, `Your order ${number} is confirmed and will be fulfilled.`],
      COMPLETED: [`Order ${number} is completed`, `Your order ${number} is completed. Thank you!`],
      CANCELLED: [
        `Order ${number} is cancelled`,
        `Your order ${number} is cancelled. If that is a mistake, please contact the shop.`,
      ],
      follow: 'Order status',
      delivery: 'Delivery cost',
    },
  }[context.language]
  const [title = '', sentence = ''] = texts[status]
  const amount = amountFormat(context)
  const delivery = Number(delivery_cost) === 0 ? null : amount(delivery_cost)
  const amounts = facts([texts.delivery, delivery], [totalOf(context), amount(total)])
  const blocks: Block[] = [sentence]
  if (status !== 'CANCELLED') blocks.push(amounts)
  if (url !== null) blocks.push({ link: url, label: texts.follow })
  return renderMail({ subject: `${siteName}: ${title}`, blocks }, context)
}

function recipientOf({ language }: MailContext, order: MailedOrder): string {
  const names = {
    ru: { customer: 'Покупатель', method: 'Доставка', address: 'Адрес' },
    en: { customer: 'Customer', method: 'Delivery', address: 'Address' },
  }[language]
  const { customer_name: customer, delivery_method: method, delivery_address: address } = order
  return facts(
    [names.customer, harmless(customer)],
    [names.method, method && harmless(method)],
    [names.address, address && harmless(address)],
  )
}

function orderedLines(context: MailContext, { total }: MailedOrder, lines: MailedLine[]): string[] {
  const amount = amountFormat(context)
  const listed = lines.map(({ product_name, quantity, price_at_order, line_total }, index) => {
    return `${index + 1}. ${harmless(product_name)} — ${quantity} × ${amount(price_at_order)} = ${amount(line_total)}`
  })
  return [listed.join('\n'), facts([totalOf(context), amount(total)])]
}

const totalOf = ({ language }: MailContext) => ({ ru: 'Итого', en: 'Total' })[language]
