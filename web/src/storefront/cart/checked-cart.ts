import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { got, shop } from '../api.ts'
import type { CartLine } from '../cart.ts'

/** The cart with today's prices and what is left of each product. */
export function useCheckedCart(lines: readonly CartLine[]) {
  return useQuery({
    queryKey: ['cart', lines],
    queryFn: ({ signal }) => got(shop.POST('/api/v1/cart/validate', { body: [...lines], signal })),
    enabled: lines.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}
