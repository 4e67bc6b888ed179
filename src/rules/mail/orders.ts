import {
  amountFormat,
  type Block,
  emailOrHarmless,
  type Fact,
  harmless,
  harmlessLines,
  type MailContext,
  optionalFact,
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
  const facts: Fact[] = [
    ...recipientFacts(context, order),
    [texts.phone, harmless(order.customer_phone)],
    ...optionalFact(texts.email, order.customer_email, emailOrHarmless),
  ]
  const { comment } = order
  const blocks: Block[] = [
    texts.title,
    { facts },
    ...(comment === null ? [] : [texts.comment, { quote: harmlessLines(comment) }]),
    orderedLines(context, order, lines),
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
    { facts: recipientFacts(context, order) },
    orderedLines(context, order, lines),
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
  const delivery = Number(delivery_cost) === 0 ? null : delivery_cost
  const facts = [...optionalFact(texts.delivery, delivery, amount), totalFact(context, total)]
  const amounts: Block[] = status === 'CANCELLED' ? [] : [{ facts }]
  const link: Block[] = url === null ? [] : [{ link: url, label: texts.follow }]
  return renderMail({ subject: `${siteName}: ${title}`, blocks: [sentence, ...amounts, ...link] }, context)
}

function recipientFacts({ language }: MailContext, order: MailedOrder): Fact[] {
  const names = {
    ru: { customer: 'Покупатель', method: 'Доставка', address: 'Адрес' },
    en: { customer: 'Customer', method: 'Delivery', address: 'Address' },
  }[language]
  return [
    [names.customer, harmless(order.customer_name)],
    ...optionalFact(names.method, order.delivery_method, harmless),
    ...optionalFact(names.address, order.delivery_address, harmless),
  ]
}

function orderedLines(context: MailContext, order: MailedOrder, lines: MailedLine[]): Block {
  const amount = amountFormat(context)
  return {
    lines: lines.map((line) => ({
      name: harmless(line.product_name),
      amount: `${line.quantity} × ${amount(line.price_at_order)}`,
      total: amount(line.line_total),
    })),
    sum: totalFact(context, order.total),
  }
}

function totalFact(context: MailContext, total: string): Fact {
  return [{ ru: 'Итого', en: 'Total' }[context.language], amountFormat(context)(total)]
}
