import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, got } from '../../api/client.ts'

const SIZE = 100

/** All brands; the API lists a hundred at a time. */
export const brandsQuery = queryOptions({
  queryKey: ['brands', 'all'],
  queryFn: async () => {
    const all = []
    for (let page = 0; ; page += 1) {
      const brands = await got(api.GET('/api/v1/brands', { params: { query: { page, size: SIZE } } }))
      all.push(...brands)
      if (brands.length < SIZE) return all
    }
  },
  staleTime: 60_000,
})

export function useBrandOptions(): [value: string, label: string][] {
  const { data = [] } = useQuery(brandsQuery)
  return data.map(({ id, name }): [string, string] => [String(id), name]).sort(([, a], [, b]) => a.localeCompare(b))
}
