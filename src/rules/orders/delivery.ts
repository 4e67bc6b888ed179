import { invalid } from '../../errors.ts'
import type { Fault, FaultReason } from '../faults/sentences.ts'
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
const MAX_NAME = 100
const MAX_PRICE = 9_999_999

/** Reads the setting `delivery_methods`; null if it isn't a list of methods with different codes. */
export function readDeliveryMethods(json: string): DeliveryMethod[] | null {
  const methods = readList(json)
  return methods !== null && areMethods(methods) ? methods : null
}

type Given = { readonly [field in keyof DeliveryMethod]?: unknown }

function readList(json: string): Given[] | null {
  let list: unknown
  try {
    list = JSON.parse(json)
  } catch {
    return null
  }
  if (!Array.isArray(list) || list.length > MAX_METHODS) return null
  return list.every((one) => typeof one === 'object' && one !== null) ? list : null
}

function areMethods(methods: Given[]): methods is DeliveryMethod[] {
  return faultsOfMethods(methods, '').length === 0
}

/** Finds what is wrong with the fields of a list of methods. @param path of the setting; none is found in another text */
export function faultsOfDelivery(json: string, path: string): Fault[] {
  return faultsOfMethods(readList(json) ?? [], path)
}

function faultsOfMethods(methods: Given[], path: string): Fault[] {
  const codes = methods.map(({ code }) => code)
  return methods.flatMap(({ code, name, price, freeFrom }, index) => {
    const faults: [keyof DeliveryMethod, FaultReason | null][] = [
      ['code', codes.indexOf(code) < index ? { code: 'REPEATED' } : faultOfCode(code)],
      ['name', faultOfName(name)],
      ['price', faultOfPrice(price)],
      ['freeFrom', freeFrom === null ? null : faultOfPrice(freeFrom)],
    ]
    return faults.flatMap(([field, fault]) => (fault === null ? [] : [{ path: `${path}.${index}.${field}`, ...fault }]))
  })
}

function faultOfCode(code: unknown): FaultReason | null {
  if (code === '' || code === undefined) return { code: 'EMPTY' }
  return typeof code === 'string' && /^[A-Za-z0-9_-]{1,50}$/.test(code) ? null : { code: 'NOT_DELIVERY_CODE' }
}

function faultOfName(name: unknown): FaultReason | null {
  if (typeof name !== 'string' || !VISIBLE_LINE.test(name)) return { code: 'EMPTY' }
  return name.length > MAX_NAME ? { code: 'TOO_LONG', params: { max: MAX_NAME } } : null
}

function faultOfPrice(price: unknown): FaultReason | null {
  if (typeof price !== 'number') return { code: 'NOT_NUMBER' }
  if (price < 0) return { code: 'TOO_SMALL', params: { min: 0 } }
  if (price > MAX_PRICE) return { code: 'TOO_LARGE', params: { max: MAX_PRICE } }
  return isAmount(price) ? null : { code: 'TOO_MANY_DECIMALS' }
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
