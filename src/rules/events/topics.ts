import { MAX_INT } from '../lists.ts'

/** The product of a topic `product:{id}`; null for any other text. */
export function productOfTopic(topic: string): number | null {
  const id = Number(/^product:([1-9]\d{0,9})$/.exec(topic)?.[1])
  return id <= MAX_INT ? id : null
}

export function productTopic(id: number): `product:${number}` {
  return `product:${id}`
}

/** The topic of one user's orders. Clients ask for their own, as OWN_ORDERS. */
export function ownOrdersTopic(userId: number): `my-orders:${number}` {
  return `${OWN_ORDERS}:${userId}`
}

export const OWN_ORDERS = 'my-orders'

export function isOwnOrdersTopic(topic: string): boolean {
  return topic.startsWith(`${OWN_ORDERS}:`)
}
