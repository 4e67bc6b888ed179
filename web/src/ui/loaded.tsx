import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiFailure } from '../api/failure.ts'
import { Button } from './button.tsx'
import css from './loaded.module.css'
import { describeFailure } from './notice.tsx'
import { t } from './text.ts'

/** What a query has read, or that it is still reading, or why it failed. */
export function Loaded<T>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.isError) return <FailureNote error={query.error} onRepeat={() => void query.refetch()} />
  return (
    <div className={css.loading} role="status">
      {t.loading}
    </div>
  )
}

export function FailureNote({ error, onRepeat }: { error: unknown; onRepeat?: () => void }) {
  return (
    <div className={css.failure} role="alert">
      <strong>{describeFailure(error)}</strong>
      {error instanceof ApiFailure && error.requestId && <span className={css.id}>{t.requestId(error.requestId)}</span>}
      {onRepeat && <Button onPress={onRepeat}>{t.repeat}</Button>}
    </div>
  )
}

/** An empty list, which says what to do. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className={css.empty}>
      <p>{children}</p>
      {action}
    </div>
  )
}
