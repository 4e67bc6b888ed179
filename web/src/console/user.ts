import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, got, type Schemas } from '../api/client.ts'
import { readToken } from '../api/session.ts'

export type Permission = Schemas['Permission']
export type Profile = Schemas['Profile']

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: () => got(api.GET('/api/v1/auth/profile')),
  enabled: () => readToken() !== null,
  staleTime: 60_000,
})

/** Whether the user may do that. */
export function useMay(): (permission: Permission) => boolean {
  const { data } = useQuery(profileQuery)
  return (permission) => data?.permissions.includes(permission) ?? false
}
