import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { ifMatch } from './client.ts'

type Header = { 'If-Match'?: string }

/**
 * Changes the record of a query at once. Changes wait for one another, and each is made to the version that the one before has left:
 * who clicks quickly doesn't conflict with himself.
 */
export function useChange<Row extends { version: number }>(key: QueryKey) {
  const client = useQueryClient()
  return useMutation({
    scope: { id: JSON.stringify(key) },
    mutationFn: (change: (header: Header) => Promise<Partial<Row>>) =>
      change(ifMatch(client.getQueryData<Row>(key)?.version)),
    onSuccess: (saved) => client.setQueryData<Row>(key, (before) => before && { ...before, ...saved }),
  })
}
