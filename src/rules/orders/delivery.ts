import { invalid } from '../../errors.ts'
import { amountOf, decimalOf, isAmount, minorOf } from '../money.ts'
import { VISIBLE_LINE } from '../text.ts'

/** A way of delivery that the shop offers (docs/orders.md). */
export type DeliveryMethod = {
  code: string
  name: string
  price: number
  /** Sum of the items from which the delivery is free; null: never. */
  freeFrom: number | null
}

const MAX_METHODS = 50
const MAX_PRICE = 9_999_999

/** Reads the setting `delivery_methods`; null if it isn't a list of methods with different codes. */
export function readDeliveryMethods(json: string): DeliveryMethod[] | null {
  let methods: unknown
  try {
    methods = JSON.parse(json)
  } catch {
    return null
  }
  if (!Array.isArray(methods) || methods.length > MAX_METHODS || !methods.every(isMethod)) return null
  return new Set(methods.map(({ code }) => code)).size === methods.length ? methods : null
}

function isMethod(value: unknown): value is DeliveryMethod {
  if (typeof value !== 'object' || value === null) return false
  const { code, name, price, freeFrom }: Partial<Record<string, unknown>> = { ...value }
  return (
    typeof code === 'string' &&
    /^[A-Za-z0-9_-]{1,50}$/.test(code) &&
    typeof name === 'string' &&
    name.length <= 100 &&
    VISIBLE_LINE.test(name) &&
    isPrice(price) &&
    (freeFrom === null || isPrice(freeFrom))
  )
}

function isPrice(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= MAX_PRICE && isAmount(value)
}

/**
 * Finds the method that an order names; undefined if the shop lists none, when any text will do.
 * @throws AppError 400 for another one, or none
 */
export function chosenMethod(setting: string, code: string | null | undefined): DeliveryMethod | undefined {
  const methods = readDeliveryMethods(setting) ?? []
  const method = methods.find((one) => one.code === code)
  if (method === undefined && methods.length > 0) {
    const values = methods.map((one) => one.code)
    throw invalid({ path: 'deliveryMethod', code: 'NOT_ONE_OF', params: { values } })
  }
  return method
}

/** What a delivery costs, in hundredths. @param items their sum, in hundredths */
export function deliveryCostOf(method: DeliveryMethod | undefined, items: bigint): bigint {
  if (method === undefined) return 0n
  const isFree = method.freeFrom !== null && amountOf(items) >= method.freeFrom
  return isFree ? 0n : minorOf(decimalOf(method.price) ?? '0')
}

/** The name of a method for people; a code that the shop no longer lists, and free text, as they are. */
export function deliveryNameOf(setting: string, code: string | null): string | null {
  return readDeliveryMethods(setting)?.find((one) => one.code === code)?.name ?? code
}
