import type { Schemas } from '../../api/client.ts'

export type StaffProduct = Schemas['StaffProduct']
export type StaffProductCard = Schemas['StaffProductCard']

/** The console always sees what staff see; the description of the API allows both. */
export function isForStaff(product: object): product is StaffProduct {
  return 'overrides' in product
}

export function isCardForStaff(product: object): product is StaffProductCard {
  return 'supplier' in product
}

export const productKey = (id: number) => ['products', 'one', id]
