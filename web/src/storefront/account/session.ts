import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { account, got, type Schemas, writeToken } from '../api.ts'

/** Begins and ends a session; while a page is open, it is renewed once. */
export function useSession(profile: Schemas['Profile'] | null) {
  const client = useQueryClient()
  const id = profile?.id

  useEffect(() => {
    if (id === undefined) return
    got(account.POST('/api/v1/auth/refresh')).then(
      ({ token }) => writeToken(token),
      // The old token is still good for a while.
      () => {},
    )
  }, [id])

  return {
    begin(token: string): void {
      writeToken(token)
      void client.invalidateQueries({ queryKey: ['profile'] })
    },
    end(): void {
      writeToken(null)
      client.removeQueries({ queryKey: ['orders'] })
      client.setQueryData(['profile'], null)
    },
  }
}
