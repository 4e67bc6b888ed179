import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ApiFailure } from '../../api/failure.ts'
import { account, got, readToken, type Schemas, writeToken } from '../api.ts'

/** Who is signed in; null: nobody. A token that has ended is thrown away. */
export const profileQuery = {
  queryKey: ['profile'],
  queryFn: async (): Promise<Schemas['Profile'] | null> => {
    if (readToken() === null) return null
    try {
      return await got(account.GET('/api/v1/auth/profile'))
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.status !== 401) throw error
      writeToken(null)
      return null
    }
  },
}

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
