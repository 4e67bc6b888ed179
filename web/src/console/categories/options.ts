import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, got } from '../../api/client.ts'

export const categoriesQuery = queryOptions({
  queryKey: ['categories', 'all'],
  queryFn: () => got(api.GET('/api/v1/categories')),
  staleTime: 60_000,
})

type Named = { id: number; name: string; parentId: number | null }

/** All categories by their path, for a select. */
export function useCategoryOptions(): [value: string, label: string][] {
  const { data = [] } = useQuery(categoriesQuery)
  const byId = new Map(data.map((category): [number, Named] => [category.id, category]))
  return data
    .map(({ id }): [string, string] => [String(id), pathOf(id, byId)])
    .sort(([, a], [, b]) => a.localeCompare(b))
}

/** Its names from the top; the supplier's data may hold a circle. */
function pathOf(id: number, byId: ReadonlyMap<number, Named>): string {
  const names: string[] = []
  let next = byId.get(id)
  while (next !== undefined && names.length < 10) {
    names.unshift(next.name)
    next = next.parentId === null ? undefined : byId.get(next.parentId)
  }
  return names.join(' / ')
}
