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
