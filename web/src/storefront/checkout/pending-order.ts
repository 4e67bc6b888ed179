import { ApiFailure } from '../../api/failure.ts'
import { account, got, type Schemas } from '../api.ts'

/** An order that was sent and not yet answered: repeating it with its key orders once (docs/orders.md). */
export type PendingOrder = { key: string; body: Schemas['NewOrder']; sentAt: number }

const KEY = 'shop_pending_order'
/** The API forgets keys after a day. */
const LIFETIME_MS = 23 * 3_600_000

export function readPending(): PendingOrder | null {
  try {
    const stored: PendingOrder | null = JSON.parse(localStorage.getItem(KEY) ?? 'null')
    return stored !== null && Date.now() - stored.sentAt < LIFETIME_MS ? stored : null
  } catch {
    return null
  }
}

/** Sends the order, and keeps it until there is an answer. @throws ApiFailure */
export async function sendOrder(pending: PendingOrder): Promise<string | null> {
  localStorage.setItem(KEY, JSON.stringify(pending))
  try {
    const { key, body } = pending
    const header = { 'Idempotency-Key': key }
    const order = await got(account.POST('/api/v1/orders', { params: { header }, body }))
    localStorage.removeItem(KEY)
    return order.trackingToken ?? null
  } catch (error) {
    if (isAnswer(error)) localStorage.removeItem(KEY)
    throw error
  }
}

/** Whether the order was refused. Without an answer, and after a 5xx, it may have been placed. */
export function isAnswer(error: unknown): boolean {
  return error instanceof ApiFailure && error.status >= 400 && error.status < 500
}
