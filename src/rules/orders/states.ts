import type { UnavailableFault } from '../faults/sentences.ts'
import { fold } from '../fold.ts'
import { MAX_INT } from '../lists.ts'
import { unavailable } from '../stock/pricing.ts'

export const ORDER_STATUSES = ['NEW', 'PROCESSING', 'SENT', 'ERROR', 'CANCELLED', 'COMPLETED', 'ARCHIVED'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** States with reserved stock and editable items (docs/orders.md). */
const OPEN: readonly OrderStatus[] = ['NEW', 'PROCESSING', 'ERROR']

/** Whether staff may add and remove items, and submit the order. */
export function isOpen(status: OrderStatus): boolean {
  return OPEN.includes(status)
}

/** States in which nothing more is done for the customer, so that nothing of him is needed (docs/privacy.md). */
export const FINISHED = ['COMPLETED', 'CANCELLED', 'ARCHIVED'] as const satisfies OrderStatus[]

export function isFinished(status: OrderStatus): boolean {
  return FINISHED.some((finished) => finished === status)
}

/** Whether the customer may cancel an order: nobody has processed it yet, and the supplier can't have it. */
export function isCancellable({ status, sent_at }: { status: OrderStatus; sent_at: Date | null }): boolean {
  return status === 'NEW' && sent_at === null
}

type State = { status: OrderStatus; sent_at: Date | null; external_id: string | null }

/**
 * What staff may do with an order now (docs/orders.md).
 * @param attempts `isUnclear`: the supplier may have received one; `isRunning`: it is being submitted
 */
export function actionsFor(order: State, { isUnclear, isRunning }: { isUnclear: boolean; isRunning: boolean }) {
  const isFree = isOpen(order.status) && order.external_id === null
  return { editItems: isFree && !isUnclear, submit: isFree && !isRunning, cancel: isCancellable(order) }
}

type Line = { product_id: number | null; quantity: number; holding: boolean }

/**
 * The lines of an order whose product has too little stock, as faults for the answer. Price and visibility don't
 * matter: they were checked when the order was placed.
 * @param lines all lines of the order
 * @param offers by product id, without deleted products
 * @param wasOpen whether existing reservations were checked; if not, they may exceed the stock and are checked too,
 *   except for deleted products
 */
export function missingQuantities(
  lines: Line[],
  offers: ReadonlyMap<number, { available_quantity: number }>,
  wasOpen: boolean,
): UnavailableFault[] {
  const isUnchecked = (line: Line) => !line.holding || (!wasOpen && line.product_id !== null)
  const wanted = sumByProduct(lines.filter(isUnchecked))
  const reserved = sumByProduct(lines.filter((line) => line.holding && isUnchecked(line)))
  return lines.flatMap((line, index) => {
    if (!isUnchecked(line)) return []
    const offer = line.product_id === null ? undefined : offers.get(line.product_id)
    const available = Math.max(0, (offer?.available_quantity ?? 0) + (reserved.get(line.product_id) ?? 0))
    if (offer !== undefined && (wanted.get(line.product_id) ?? 0) <= available) return []
    const reason = offer === undefined ? 'NOT_FOUND' : available > 0 ? 'NOT_ENOUGH' : 'OUT_OF_STOCK'
    return [unavailable(`items.${index}`, reason, available)]
  })
}

function sumByProduct(lines: Line[]): Map<number | null, number> {
  const sums = new Map<number | null, number>()
  for (const { product_id, quantity } of lines) sums.set(product_id, (sums.get(product_id) ?? 0) + quantity)
  return sums
}

/** The id that a search for digits may mean as well as a phone; undefined for any other search. */
export function searchedId(text: string): number | undefined {
  const digits = fold(text)
  return /^[0-9]+$/.test(digits) ? orderId(digits) : undefined
}

/** The id of the only order that a search means, which names its number as mails do: `№ 000001`, `Order 000001`, `#1`. */
export function namedId(text: string): number | undefined {
  const named = /^(?:(?:заказ|order) ?#?|#) ?([0-9]+)$/.exec(fold(text.replaceAll('№', '#')))
  return orderId(named?.[1])
}

function orderId(digits: string | undefined): number | undefined {
  const id = Number(digits)
  return id >= 1 && id <= MAX_INT ? id : undefined
}
