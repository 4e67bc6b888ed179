import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { CheckField, SelectField, TextField } from './fields.tsx'
import page from './page.module.css'
import { t } from './text.ts'

const TYPING_MS = 300

/** What the address says after `?`. */
export type Filters = { readonly [name: string]: string | undefined }

export function readFilters(search: Record<string, unknown>): Filters {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
}

/** Reads `a=1&b=x` as texts, as the API does. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

export function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

/** Filters in the address survive a reload and the way back. Any change but that of the page leads to the first page. */
export function useFilters(): [Filters, (change: Filters) => void] {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const filters = readFilters(search)
  const setFilters = (change: Filters) =>
    void navigate({ to: '.', search: { ...filters, page: undefined, ...change }, replace: true })
  return [filters, setFilters]
}

/** A text as one of the values that have names. */
export function oneOf<Value extends string>(
  names: Readonly<Record<Value, string>>,
  text: string | undefined,
): Value | undefined {
  return keysOf(names).find((value) => value === text)
}

export function keysOf<Value extends string>(names: Readonly<Record<Value, string>>): Value[]
export function keysOf(names: object): string[] {
  return Object.keys(names)
}

type Filter = { name: string; label: string }
type Options = readonly (readonly [value: string, label: string])[]

/** Searches when the typing pauses. */
export function SearchFilter({ label, name = 'search' }: { label: string; name?: string }) {
  const [{ [name]: value = '' }, setFilters] = useFilters()
  const [typed, setTyped] = useState(value)
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => setFilters({ [name]: typed }), TYPING_MS)
    return () => clearTimeout(timer)
  })
  return <TextField type="search" label={t.search} placeholder={label} value={typed} onChange={setTyped} />
}

/** One of a few values, or all. */
export function SelectFilter({ name, label, options, all = t.all }: Filter & { options: Options; all?: string }) {
  const [{ [name]: value = '' }, setFilters] = useFilters()
  const choose = (chosen: string) => setFilters({ [name]: chosen })
  return <SelectField label={label} value={value} options={[['', all], ...options]} onChange={choose} />
}

export function DateFilter({ name, label }: Filter) {
  const [{ [name]: value = '' }, setFilters] = useFilters()
  return <TextField type="date" label={label} value={value} onChange={(day) => setFilters({ [name]: day })} />
}

export function CheckFilter({ name, label }: Filter) {
  const [{ [name]: value }, setFilters] = useFilters()
  const change = (isOn: boolean) => setFilters({ [name]: isOn ? 'true' : undefined })
  return <CheckField label={label} isSelected={value === 'true'} onChange={change} />
}

/** One of a few values as tabs; the empty one is that without the filter. */
export function TabFilter({ name, label, options }: Filter & { options: Options }) {
  const [{ [name]: value = '' }, setFilters] = useFilters()
  return (
    <nav className={page.tabs} aria-label={label}>
      {options.map(([one, text]) => (
        <button
          key={one}
          type="button"
          className={page.tab}
          aria-current={value === one ? 'true' : undefined}
          onClick={() => setFilters({ [name]: one })}
        >
          {text}
        </button>
      ))}
    </nav>
  )
}
