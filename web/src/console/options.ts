import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, got } from '../api/client.ts'

export const tagsQuery = queryOptions({
  queryKey: ['tags'],
  queryFn: () => got(api.GET('/api/v1/tags')),
  staleTime: 60_000,
})

const BRANDS_AT_ONCE = 100

/** All brands; the API lists a hundred at a time. */
export const brandsQuery = queryOptions({
  queryKey: ['brands', 'all'],
  queryFn: async () => {
    const all = []
    for (let page = 0; ; page += 1) {
      const brands = await got(api.GET('/api/v1/brands', { params: { query: { page, size: BRANDS_AT_ONCE } } }))
      all.push(...brands)
      if (brands.length < BRANDS_AT_ONCE) return all
    }
  },
  staleTime: 60_000,
})

export function useBrandOptions(): [value: string, label: string][] {
  const { data = [] } = useQuery(brandsQuery)
  return data.map(({ id, name }): [string, string] => [String(id), name]).sort(([, a], [, b]) => a.localeCompare(b))
}

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
