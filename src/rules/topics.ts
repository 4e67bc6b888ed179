import { MAX_INT } from './lists.ts'

/** What clients can subscribe to (docs/events.md). */
export type TopicName =
  | 'products'
  | 'product:{id}'
  | 'catalogue'
  | 'my-orders'
  | 'orders'
  | 'contacts'
  | 'runs'
  | 'jobs'
  | 'alerts'

/** A topic as clients name it. */
export type Topic = Exclude<TopicName, 'product:{id}'> | `product:${number}`

/** The product of a topic `product:{id}`; null for any other text. */
export function productOfTopic(topic: string): number | null {
  const id = Number(/^product:([1-9]\d{0,9})$/.exec(topic)?.[1])
  return id <= MAX_INT ? id : null
}
