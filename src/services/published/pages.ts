import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import type { BySlug } from '../catalogue/answers.ts'
import { getBrandBySlug } from '../catalogue/brands.ts'
import { getCategoryBySlug } from '../catalogue/categories.ts'
import { getProductBySlug } from '../catalogue/products.ts'
import { getTagBySlug } from '../catalogue/tags.ts'

export const PAGE_KINDS = ['products', 'categories', 'brands', 'tags'] as const
type PageKind = (typeof PAGE_KINDS)[number]

type Page = { status: 200 | 404; movedTo: null } | { status: 301; movedTo: string }

/** How the page of a record in the storefront answers: search engines go by the status. */
export async function findPage(deps: Deps, kind: PageKind, slug: string): Promise<Page> {
  try {
    const found = await findRecord(deps, kind, slug)
    return 'movedTo' in found ? { status: 301, movedTo: found.movedTo } : { status: 200, movedTo: null }
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return { status: 404, movedTo: null }
    throw error
  }
}

async function findRecord(deps: Deps, kind: PageKind, slug: string): Promise<BySlug> {
  if (kind === 'products') return getProductBySlug(deps, slug, false)
  if (kind === 'categories') return getCategoryBySlug(deps, slug, false)
  if (kind === 'brands') return getBrandBySlug(deps, slug, false)
  return { body: await getTagBySlug(deps, slug, false) }
}
