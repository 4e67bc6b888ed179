import { countExcludedProducts, listFeedProducts } from '../../../db/queries/published/contents.ts'
import { wasEverFilled } from '../../../db/queries/supplier/watermarks.ts'
import { type CategoryTree, inOrder } from '../../rules/catalogue/category-tree.ts'
import * as rules from '../../rules/published/feeds.ts'
import { readTree } from '../catalogue/categories.ts'
import { freshSetting, freshSettings } from '../settings/settings.ts'
import type { Publication } from './build.ts'

const NEVER_FILLED = 'The catalogue is not complete until the first sync has finished'

/** The catalogue in a format (docs/published.md). */
export function feedPublication(format: rules.FeedFormat): Publication {
  return {
    findObstacle: async ({ db }) => ((await wasEverFilled(db)) ? null : NEVER_FILLED),
    opening: format.opening,
    async *content(trx, { siteUrl }, counts) {
      const settings = await freshSettings(trx)
      const categories = visibleCategories(await readTree(trx))
      const categoryIds = [...categories.keys()]
      counts.excluded = await countExcludedProducts(trx, categoryIds)
      const shop = { siteUrl, settings, categories }
      function offerOf(product: rules.FeedProduct): string {
        const offer = format.offer(product, shop)
        if ('excluded' in offer) {
          counts.excluded[offer.excluded] = (counts.excluded[offer.excluded] ?? 0) + 1
          return ''
        }
        counts.entries += 1
        return offer.text
      }
      yield format.shop(shop)
      for (let after: number | undefined = 0; after !== undefined; ) {
        const products = await listFeedProducts(trx, categoryIds, after)
        yield products.map(offerOf).join('')
        after = products.at(-1)?.id
      }
      yield format.closing
    },
    async findFault(deps, entries, published) {
      const minPercent = Number(await freshSetting(deps, 'feed_min_offers_percent'))
      return rules.shrinkage(entries, published?.entries ?? null, minPercent)
    },
  }
}

/** Visible categories, parents before children. */
function visibleCategories(tree: CategoryTree): rules.FeedShop['categories'] {
  const categories = new Map<number, rules.FeedCategory>()
  for (const { row, parent, visible } of inOrder(tree)) {
    if (!visible) continue
    const parentId = parent?.row.id ?? null
    const path = [...(parentId === null ? [] : (categories.get(parentId)?.path ?? [])), row.name]
    categories.set(row.id, { id: row.id, name: row.name, parentId, path })
  }
  return categories
}
