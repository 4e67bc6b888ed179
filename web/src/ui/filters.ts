import { useNavigate, useSearch } from '@tanstack/react-router'

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
