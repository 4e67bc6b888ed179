import { isObject } from '../api/socket.ts'

export type DeliveryMethod = { code: string; name: string; price: number; freeFrom: number | null }

/** The methods of the setting `delivery_methods` (docs/orders.md); none: the customer writes what he wants. */
export function readDeliveryMethods(setting = '[]'): DeliveryMethod[] {
  const list: unknown = JSON.parse(setting)
  return Array.isArray(list) ? list.filter(isObject).map(toMethod) : []
}

function toMethod({ code, name, price, freeFrom }: Record<string, unknown>): DeliveryMethod {
  const limit = typeof freeFrom === 'number' ? freeFrom : null
  return { code: String(code), name: String(name), price: Number(price), freeFrom: limit }
}
