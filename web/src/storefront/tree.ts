import { got, shop } from './api.ts'

const FIVE_MINUTES_MS = 300_000

export const treeQuery = {
  queryKey: ['categories'],
  queryFn: () => got(shop.GET('/api/v1/categories/tree')),
  staleTime: FIVE_MINUTES_MS,
}
