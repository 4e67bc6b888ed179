import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { got, shop } from '../api.ts'
import type { CartLine } from '../cart.ts'

/** The cart with today's prices, what is left of each product, and what the delivery costs if its method is chosen. */
export function useCheckedCart(lines: readonly CartLine[], deliveryMethod?: string) {
  return useQuery({
    queryKey: ['cart', lines, deliveryMethod],
    queryFn: ({ signal }) => {
      const params = { query: { deliveryMethod } }
      return got(shop.POST('/api/v1/cart/validate', { params, body: [...lines], signal }))
    },
    enabled: lines.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}
