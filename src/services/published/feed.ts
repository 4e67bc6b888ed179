import type { Trx } from '../../../db/database.ts'
import { listCategories } from '../../../db/queries/catalogue/categories.ts'
import { countExcludedProducts, listFeedProducts } from '../../../db/queries/published/feed.ts'
import { listSettings } from '../../../db/queries/settings/settings.ts'
import { wasEverFilled } from '../../../db/queries/supplier/states.ts'
import { arrangeCategories, subtreeOf } from '../../rules/catalogue/category-tree.ts'
import {
  type FeedCategory,
  type FeedFormat,
  type FeedProduct,
  type FeedShop,
  MAX_ATTRIBUTES_READ,
  MAX_DESCRIPTION_READ,
  MAX_PICTURES_READ,
  shrinkage,
} from '../../rules/published/feeds.ts'
import { withDefaults } from '../../rules/settings/keys.ts'
import { freshSetting } from '../settings/settings.ts'
import type { Publication } from './build.ts'

/** Products read and written at a time, without delaying requests noticeably. */
const PAGE_SIZE = 100
const NEVER_FILLED = 'The catalogue is empty until the first sync has finished'

/** The catalogue in a format (contract sections 8, "Feed", and 14). */
export function feedPublication(format: FeedFormat): Publication {
  return {
    findObstacle: async ({ db }) => ((await wasEverFilled(db)) ? null : NEVER_FILLED),
    opening: format.opening,
    async *content(trx, { siteUrl, shopTimeZone: timeZone }, counts) {
      const settings = withDefaults(await listSettings(trx))
      const categories = visibleCategories(arrangeCategories(await listCategories(trx)))
      counts.excluded = await countExcludedProducts(trx, [...categories.keys()])
      const shop = { siteUrl, timeZone, settings, categories }
      yield format.shop(shop)
      for await (const products of productPages(trx, shop)) {
        let text = ''
        for (const product of products) {
          const offer = format.offer(product, shop)
          if ('text' in offer) {
            counts.entries += 1
            text += offer.text
          } else {
            counts.excluded[offer.excluded] = (counts.excluded[offer.excluded] ?? 0) + 1
          }
        }
        yield text
      }
      yield format.closing
    },
    async findFault(deps, { entries, published }) {
      const minPercent = Number(await freshSetting(deps, 'feed_min_offers_percent'))
      return shrinkage(entries, published?.entries ?? null, minPercent)
    },
  }
}

/** Visible categories, parents before children. */
function visibleCategories(tree: ReturnType<typeof arrangeCategories>): FeedShop['categories'] {
  const categories = new Map<number, FeedCategory>()
  for (const { row, parent, visible } of tree.roots.flatMap((root) => subtreeOf(root))) {
    if (!visible) continue
    const parentId = parent?.row.id ?? null
    const path = [...(parentId === null ? [] : (categories.get(parentId)?.path ?? [])), row.name]
    categories.set(row.id, { id: row.id, name: row.name, parentId, path })
  }
  return categories
}

async function* productPages(trx: Trx, { categories }: FeedShop): AsyncGenerator<FeedProduct[]> {
  const page = {
    limit: PAGE_SIZE,
    visibleCategories: [...categories.keys()],
    maxImages: MAX_PICTURES_READ,
    maxAttributes: MAX_ATTRIBUTES_READ,
    maxDescriptionLength: MAX_DESCRIPTION_READ,
  }
  for (let after: number | undefined = 0; after !== undefined; ) {
    const products = await listFeedProducts(trx, { ...page, after })
    if (products.length > 0) yield products
    after = products.at(-1)?.id
  }
}
