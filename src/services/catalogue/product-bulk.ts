import type { Db } from '../../../db/database.ts'
import { lockWork } from '../../../db/locks.ts'
import { applyBulkEdit, type BulkRow, listTagIds, previewBulkEdit } from '../../../db/queries/catalogue/product-bulk.ts'
import { lockProducts } from '../../../db/queries/catalogue/product-edits.ts'
import { listProductIds } from '../../../db/queries/catalogue/product-index.ts'
import { listShown } from '../../../db/queries/catalogue/products.ts'
import type { Deps } from '../../deps.ts'
import { conflict, type Language, refuse } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { checkBulkEdit, checkBulkFields, MAX_BULK_PRODUCTS } from '../../rules/catalogue/bulk-edit.ts'
import { toAmount } from '../../rules/money.ts'
import { write } from '../../runtime/write.ts'
import type { BulkEdit, BulkEdited, BulkFilter } from '../../schemas/product-editing.ts'
import { missingReferences } from './editing.ts'
import { readProductQuery, resolveFilter } from './products.ts'

/** Products that a dry run shows. */
const MAX_SAMPLE = 20

/** Checks the fields that are given. @throws AppError 400 */
export const checkProducts = checkBulkFields

const MESSAGES = {
  NO_PRICE: { en: 'The product has no price', ru: 'У товара нет цены' },
  TOO_CHEAP: { en: 'The price would be zero', ru: 'Цена стала бы нулевой' },
  TOO_EXPENSIVE: { en: 'The price would be too high', ru: 'Цена стала бы слишком большой' },
  MISSING: { en: 'There is no such product', ru: 'Такого товара нет' },
} as const

/**
 * Makes the same change to many products, all or nothing (docs/catalogue.md).
 * @param how a dry run reports what would change without changing it
 * @throws AppError 400; 409 TOO_MANY_PRODUCTS when the filter finds more than 10 000
 */
export async function editProducts(
  deps: Deps,
  actor: Actor,
  input: BulkEdit,
  { dryRun, language }: { dryRun: boolean; language: Language },
): Promise<BulkEdited> {
  checkBulkEdit(input)
  const { set } = input
  const ids = input.ids ?? (await findIds(deps, input.filter))
  return write(deps, async (tx) => {
    if (!dryRun) await lockWork(tx.db, 'productRows')
    const { categoryId, addTagIds } = set
    refuse(await missingReferences(tx.db, { categoryId, addTagIds }, 'set.'))
    if (!dryRun) await lockProducts(tx.db, ids)
    const rows = await previewBulkEdit(tx.db, ids, set)
    const errors = errorsOf(rows, input.ids ?? [], language)
    const changing = rows.filter(({ changes }) => changes)
    if (errors.length > 0) return { matched: rows.length, changed: 0, errors, ...(dryRun && { sample: [] }) }
    const result = { matched: rows.length, changed: changing.length, errors }
    if (dryRun) return { ...result, sample: await sampleOf(tx.db, changing.slice(0, MAX_SAMPLE), set) }
    if (changing.length > 0) {
      const changed = changing.map(({ id }) => id)
      await applyBulkEdit(tx.db, changed, set)
      tx.recordChange('product', changed)
      const shown = new Set(await listShown(tx.db, changed))
      tx.recordChange(
        'productHidden',
        changing.filter(({ id, active }) => active && !shown.has(id)).map(({ id }) => id),
      )
      tx.audit({ actor, entity: 'PRODUCT', entityId: 'bulk', ...audited(changing, set) })
    }
    return result
  })
}

/** The products that the filter finds when the edit begins, or else all. @throws AppError 400; 409 */
async function findIds(deps: Deps, filter: BulkFilter | undefined): Promise<number[]> {
  const ids = filter === undefined ? await listProductIds(deps.db) : await findMatches(deps, filter)
  if (ids.length <= MAX_BULK_PRODUCTS) return ids
  throw conflict('TOO_MANY_PRODUCTS', `The filter finds more than ${MAX_BULK_PRODUCTS} products; narrow it`)
}

/** As staff's list shows them; a search is not corrected. */
async function findMatches(deps: Deps, { brandId, tagId, ...same }: BulkFilter): Promise<number[]> {
  const brands = brandId === undefined ? {} : { brandId: [brandId].flat() }
  const tags = tagId === undefined ? {} : { tagId: [tagId].flat() }
  const filter = await resolveFilter(deps, readProductQuery({ ...same, ...brands, ...tags }).filter, true)
  return deps.productSearch.ids(filter)
}

/** What the edit would make of some of the products. */
async function sampleOf(db: Db, rows: BulkRow[], set: BulkEdit['set']): Promise<BulkEdited['sample']> {
  const { active, sitePrice, sitePricePercent, categoryId, addTagIds = [], removeTagIds = [] } = set
  const isPriced = sitePrice !== undefined || sitePricePercent !== undefined
  const isTagged = addTagIds.length > 0 || removeTagIds.length > 0
  const tags = isTagged
    ? await listTagIds(
        db,
        rows.map(({ id }) => id),
      )
    : []
  return rows.map((row) => {
    const tagIds = tags.filter(({ product_id }) => product_id === row.id).map(({ tag_id }) => tag_id)
    const kept = tagIds.filter((id) => !removeTagIds.includes(id))
    return {
      id: row.id,
      name: row.name,
      before: {
        ...(active !== undefined && { active: row.active_override }),
        ...(isPriced && { sitePrice: toAmount(row.site_price) }),
        ...(categoryId !== undefined && { categoryId: row.category_id }),
        ...(isTagged && { tagIds }),
      },
      after: {
        ...(active !== undefined && { active }),
        ...(isPriced && { sitePrice: toAmount(row.new_site_price) }),
        ...(categoryId !== undefined && { categoryId }),
        ...(isTagged && { tagIds: [...new Set([...kept, ...addTagIds])] }),
      },
    }
  })
}

/** The edit and its products; values that differ between products are maps by id. */
function audited(rows: BulkRow[], set: BulkEdit['set']) {
  const { active, sitePrice, sitePricePercent, categoryId } = set
  const byId = (value: (row: BulkRow) => unknown) => Object.fromEntries(rows.map((row) => [row.id, value(row)]))
  const isPriced = sitePrice !== undefined || sitePricePercent !== undefined
  return {
    before: {
      ...(active !== undefined && { active: byId((row) => row.active_override) }),
      ...(isPriced && { sitePrice: byId((row) => toAmount(row.site_price)) }),
      ...(categoryId !== undefined && { categoryId: byId((row) => row.category_id) }),
    },
    after: {
      ...set,
      ...(sitePricePercent !== undefined && { sitePrice: byId((row) => toAmount(row.new_site_price)) }),
      products: rows.map(({ id }) => id),
    },
  }
}

function errorsOf(rows: BulkRow[], ids: number[], language: Language): BulkEdited['errors'] {
  const found = new Set(rows.map(({ id }) => id))
  const missing = [...new Set(ids)].filter((id) => !found.has(id))
  return [
    ...rows.flatMap(({ id, fault }) => (fault === null ? [] : [{ id, message: MESSAGES[fault][language] }])),
    ...missing.map((id) => ({ id, message: MESSAGES.MISSING[language] })),
  ]
}
