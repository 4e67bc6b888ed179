import type { Search } from '../address.ts'

const PAGE_SIZE = 24

/** What every product of a list has in common, such as its category. */
export type Scope = { readonly [name: string]: string }

/** The filters of the API's list. */
const FILTERS = ['search', 'minPrice', 'maxPrice', 'inStock', 'brandId', 'categoryId', 'tagId']

const isFilter = (name: string) => FILTERS.includes(name) || name.startsWith('attr.')

/** A list of a category or a tag is of that one alone. */
const isFixed = (name: string, scope: Scope) => name in scope || name.replace('Id', 'Slug') in scope

/** The query of facets: the filters of the address within the scope. */
export function filterQuery(search: Search, scope: Scope): string {
  const params = new URLSearchParams()
  for (const [name, values = []] of Object.entries(search)) {
    if (isFilter(name) && !isFixed(name, scope)) for (const value of values) params.append(name, value)
  }
  for (const [name, value] of Object.entries(scope)) params.set(name, value)
  return params.toString()
}

/** The query of the list. Pages in the address begin with 1. */
export function listQuery(search: Search, scope: Scope): string {
  const params = new URLSearchParams(filterQuery(search, scope))
  params.set('size', String(PAGE_SIZE))
  params.set('page', String(pageOf(search) - 1))
  const sort = search.sort?.[0]
  if (sort !== undefined) params.set('sort', sort)
  return params.toString()
}

export function pageOf(search: Search): number {
  const page = Number(search.page?.[0])
  return Number.isSafeInteger(page) && page > 1 ? page : 1
}

export function hasFilters(search: Search, scope: Scope): boolean {
  return Object.keys(search).some((name) => name !== 'search' && isFilter(name) && !isFixed(name, scope))
}

/** The address without its filters. */
export function withoutFilters(search: Search): Search {
  return Object.fromEntries(Object.entries(search).map(([name, values]) => [name, keeps(name) ? values : undefined]))
}

const keeps = (name: string) => name === 'search' || !isFilter(name)
