import { queryOptions } from '@tanstack/react-query'
import { api, got } from '../../api/client.ts'

export const tagsQuery = queryOptions({
  queryKey: ['tags'],
  queryFn: () => got(api.GET('/api/v1/tags')),
  staleTime: 60_000,
})
