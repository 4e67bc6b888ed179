import { type ReactNode, useEffect, useState } from 'react'
import { Button } from './button.tsx'
import fields from './fields.module.css'
import { TextField } from './fields.tsx'
import type { Filters } from './filters.ts'
import { formatNumber } from './format.ts'
import css from './list.module.css'
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

/** A table that scrolls within itself; on a telephone its rows are cards with the `data-label` of their cells. */
export function Table({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={css.frame}>
      <table className={css.table} aria-label={label}>
        {children}
      </table>
    </div>
  )
}

const TYPING_MS = 300

/** Searches when the typing pauses. */
export function SearchField({
  label,
  value,
  onChange,
}: {
  label: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}) {
  const [typed, setTyped] = useState(value ?? '')
  useEffect(() => {
    if (typed === (value ?? '')) return
    const timer = setTimeout(() => onChange(typed || undefined), TYPING_MS)
    return () => clearTimeout(timer)
  })
  return <TextField type="search" label={t.search} placeholder={label} value={typed} onChange={setTyped} />
}

/** The head of a column that sorts; `sort` is `field` or `field,desc`. */
export function SortHead({
  field,
  filters,
  setFilters,
  children,
  isNumber = false,
}: {
  field: string
  filters: Filters
  setFilters: (change: Filters) => void
  children: ReactNode
  isNumber?: boolean
}) {
  const [sorted, direction] = (filters.sort ?? '').split(',')
  const isSorted = sorted === field
  const isDescending = isSorted && direction === 'desc'
  const order = !isSorted ? undefined : isDescending ? 'descending' : 'ascending'
  return (
    <th className={isNumber ? css.number : undefined} aria-sort={order}>
      <button
        type="button"
        className={css.sort}
        onClick={() => setFilters({ sort: isSorted && !isDescending ? `${field},desc` : field })}
      >
        {children}
        <span aria-hidden="true">{!isSorted ? '' : isDescending ? ' ↓' : ' ↑'}</span>
      </button>
    </th>
  )
}

type Page = { number: number; totalPages: number; totalElements: number; first: boolean; last: boolean }

export function Pager({ page, setFilters }: { page: Page; setFilters: (change: Filters) => void }) {
  const { number, totalPages, totalElements, first, last } = page
  return (
    <nav className={css.pager} aria-label={t.pageOf(number + 1, totalPages)}>
      <span className={css.count}>{t.records(formatNumber(totalElements))}</span>
      {totalPages > 1 && (
        <>
          <Button isDisabled={first} onPress={() => setFilters({ page: String(number - 1) })}>
            {t.previous}
          </Button>
          <span>{t.pageOf(number + 1, totalPages)}</span>
          <Button isDisabled={last} onPress={() => setFilters({ page: String(number + 1) })}>
            {t.next}
          </Button>
        </>
      )}
    </nav>
  )
}

/** For those who hear the page: the name of a column that the eye doesn't need. */
export function Hidden({ children }: { children: ReactNode }) {
  return <span className={fields.hidden}>{children}</span>
}

type Tone = 'good' | 'warn' | 'bad' | 'accent' | 'muted'

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`${css.badge} ${css[tone]}`}>{children}</span>
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
