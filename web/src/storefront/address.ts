import { useNavigate, useSearch } from '@tanstack/react-router'

/** What the address says after `?`: of each name all values. */
export type Search = { readonly [name: string]: readonly string[] | undefined }

export function parseSearch(text: string): Search {
  const params = new URLSearchParams(text)
  return Object.fromEntries([...params.keys()].map((name) => [name, params.getAll(name)]))
}

export function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(readSearch(search)).flatMap(([name, values = []]) =>
    values.filter((value) => value !== '').map((value) => [name, value]),
  )
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
}

export function readSearch(search: Record<string, unknown>): Search {
  const given = Object.entries(search).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, [value].flat().map(String)]))
}

/** The filters of the address, and how to change some. Any change but that of the page leads to the first page. */
export function useFilters(): [Search, (change: Search) => void] {
  const search = readSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const change = (changed: Search) =>
    void navigate({ to: '.', search: { ...search, page: undefined, ...changed }, resetScroll: 'page' in changed })
  return [search, change]
}
