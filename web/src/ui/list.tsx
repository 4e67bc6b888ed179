import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiFailure } from '../api/failure.ts'
import { Button } from './button.tsx'
import { formatAgo, formatTime } from './format.ts'
import css from './list.module.css'
import loading from './loaded.module.css'
import { describeFailure } from './notice.tsx'
import page from './page.module.css'
import { t } from './text.ts'

/** The head of a page: its name, and what can be done. */
export function PageHead({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div className={css.head}>
      <h1 className={css.title}>{title}</h1>
      <div className={css.actions}>{children}</div>
    </div>
  )
}

/** Filters above a list. */
export function Toolbar({ children }: { children: ReactNode }) {
  return <div className={css.toolbar}>{children}</div>
}

/** A part of a page with a frame. */
export function Panel({ title, actions, children }: { title?: ReactNode; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={css.panel}>
      {title && (
        <div className={css.panelHead}>
          <h2 className={css.panelTitle}>{title}</h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  )
}

type Tone = 'good' | 'warn' | 'bad' | 'accent' | 'muted'

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`${css.badge} ${css[tone]}`}>{children}</span>
}

/** Whether a record is switched on. */
export function ActiveBadge({ isActive }: { isActive: boolean }) {
  return <Badge tone={isActive ? 'good' : 'muted'}>{isActive ? t.active : t.inactive}</Badge>
}

/** Names and values, one below the other. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={css.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Key figures side by side. */
export function Tile({ value, isBad = false, children }: { value: string; isBad?: boolean; children: ReactNode }) {
  return (
    <>
      <span className={`${page.figure} ${isBad ? page.bad : ''}`}>{value}</span> {children}
    </>
  )
}

/** What explains something else. */
export function Small({ children, isBad = false }: { children: ReactNode; isBad?: boolean }) {
  return <div className={`${page.small} ${isBad ? page.bad : page.muted}`}>{children}</div>
}

export function Thumb({ url }: { url: string | null | undefined }) {
  if (!url) return <span className={page.thumb} />
  return <img className={page.thumb} src={`${url}&width=160`} alt="" loading="lazy" />
}

/** How long ago; the time itself is its tooltip. */
export function Ago({ time }: { time: string | null | undefined }) {
  return <span title={formatTime(time)}>{formatAgo(time)}</span>
}

/** What a query has read, or that it is still reading, or why it failed. */
export function Loaded<T>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.isError) return <FailureNote error={query.error} onRepeat={() => void query.refetch()} />
  return (
    <div className={loading.loading} role="status">
      {t.loading}
    </div>
  )
}

export function FailureNote({ error, onRepeat }: { error: unknown; onRepeat?: () => void }) {
  return (
    <div className={loading.failure} role="alert">
      <strong>{describeFailure(error)}</strong>
      {error instanceof ApiFailure && error.requestId && (
        <span className={loading.id}>{t.requestId(error.requestId)}</span>
      )}
      {onRepeat && <Button onPress={onRepeat}>{t.repeat}</Button>}
    </div>
  )
}

/** An empty list, which says what to do. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className={loading.empty}>
      <p>{children}</p>
      {action}
    </div>
  )
}
