interface DemoOrderItem {
  readonly productId: string
  readonly quantity: number
  readonly price: number
}

/** An order as the supplier received it. */
export interface DemoOrder {
  readonly id: string
  readonly reference: string
  readonly customer: { readonly name: string; readonly phone: string; readonly email: string | null }
  readonly delivery: {
    readonly method: string | null
    readonly address: string | null
    readonly cost: number
  }
  readonly comment: string | null
  readonly items: readonly DemoOrderItem[]
  /** Epoch milliseconds. */
  readonly receivedAt: number
}

export type NewOrder = Omit<DemoOrder, 'id' | 'receivedAt'>

/** An invalid CreateOrder body; the message goes into the response. */
export class OrderError extends Error {}

/** Checks a CreateOrder body. @throws OrderError that names the field */
export function readOrder(body: unknown): NewOrder {
  const order = record(body, 'body')
  const customer = record(order.customer, 'customer')
  const delivery = order.delivery == null ? {} : record(order.delivery, 'delivery')
  return {
    reference: reference(order.reference),
    customer: {
      name: text(customer.name, 'customer.name'),
      phone: text(customer.phone, 'customer.phone'),
      email: optionalText(customer.email, 'customer.email'),
    },
    delivery: {
      method: optionalText(delivery.method, 'delivery.method'),
      address: optionalText(delivery.address, 'delivery.address'),
      cost: delivery.cost == null ? 0 : amount(delivery.cost, 'delivery.cost'),
    },
    comment: optionalText(order.comment, 'comment'),
    items: items(order.items),
  }
}

function items(value: unknown): DemoOrderItem[] {
  if (!Array.isArray(value) || value.length === 0) throw new OrderError('items: at least one is expected')
  return value.map((entry: unknown, index) => {
    const at = `items[${index}]`
    const item = record(entry, at)
    const quantity = item.quantity
    if (typeof quantity !== 'number' || !Number.isInteger(quantity) || quantity < 1) {
      throw new OrderError(`${at}.quantity: a positive integer is expected`)
    }
    return {
      productId: text(item.productId, `${at}.productId`),
      quantity,
      price: amount(item.price, `${at}.price`),
    }
  })
}

function record(value: unknown, at: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new OrderError(`${at}: an object is expected`)
  }
  return { ...value }
}

function reference(value: unknown): string {
  return Number.isSafeInteger(value) ? String(value) : text(value, 'reference')
}

function text(value: unknown, at: string): string {
  if (typeof value !== 'string' || value.trim() === '') throw new OrderError(`${at}: a text is expected`)
  return value
}

function optionalText(value: unknown, at: string): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new OrderError(`${at}: a text or null is expected`)
  return value
}

function amount(value: unknown, at: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw new OrderError(`${at}: a number of at least 0 is expected`)
  }
  return value
}
