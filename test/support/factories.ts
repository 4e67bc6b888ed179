import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { SlugKind } from '../../db/tables/catalogue.ts'

/** Makes names and slugs unique. The shop itself gives slugs such as `product-12`, hence `some-product-12` here. */
let count = 0

type CategoryInput = {
  name?: string
  slug?: string
  parentId?: number | null
  externalId?: string | null
  enabled?: boolean
  autoHidden?: boolean
  showInHomepage?: boolean
  displayOrder?: number
}

/** Marks the catalogue as synchronised; without that, an empty catalogue has no feed. */
export async function markSynchronised(db: Db): Promise<void> {
  await db
    .insertInto('sync_state')
    .values({ sync_type: 'PRODUCTS', last_sync_time: new Date(), next_sync_time: null })
    .execute()
}

/** Inserts a category; name and slug are unique by default. */
export async function createCategory(db: Db, input: CategoryInput = {}): Promise<number> {
  count += 1
  const slug = input.slug ?? `some-category-${count}`
  const { id } = await db
    .insertInto('categories')
    .values({
      name: input.name ?? `Category ${count}`,
      slug,
      external_id: input.externalId ?? null,
      parent_id: input.parentId ?? null,
      enabled: input.enabled ?? true,
      auto_hidden_by_visibility_sync: input.autoHidden ?? false,
      show_in_homepage: input.showInHomepage ?? false,
      display_order: input.displayOrder ?? 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordSlug(db, 'category', slug, id)
  return id
}

export async function createBrand(db: Db, name?: string): Promise<number> {
  count += 1
  const slug = `some-brand-${count}`
  const values = { name: name ?? `Brand ${count}`, slug, external_id: slug }
  const { id } = await db.insertInto('brands').values(values).returning('id').executeTakeFirstOrThrow()
  await recordSlug(db, 'brand', slug, id)
  return id
}

type ProductInput = {
  name?: string
  slug?: string
  externalId?: string | null
  /** Decimal text. */
  price?: string | null
  sitePrice?: string | null
  stock?: number
  supplierActive?: boolean
  activeOverride?: boolean | null
  categoryId?: number | null
  brandId?: number | null
  description?: string | null
  attributes?: { name: string; value: string; source?: 'EXTERNAL' | 'MANUAL' | 'FEED' }[]
}

/** Inserts a product; by default active, at 100.00, ten in stock. */
export async function createProduct(db: Db, input: ProductInput = {}): Promise<number> {
  count += 1
  const slug = input.slug ?? `some-product-${count}`
  const { id } = await db
    .insertInto('products')
    .values({
      name: input.name ?? `Product ${count}`,
      slug,
      external_id: input.externalId === undefined ? `product-${count}` : input.externalId,
      price: input.price === undefined ? '100.00' : input.price,
      site_price: input.sitePrice ?? null,
      stock: input.stock ?? 10,
      supplier_active: input.supplierActive ?? true,
      active_override: input.activeOverride ?? null,
      category_id: input.categoryId ?? null,
      brand_id: input.brandId ?? null,
      description: input.description ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordSlug(db, 'product', slug, id)
  const attributes = (input.attributes ?? []).map(({ name, value, source = 'EXTERNAL' }, position) => ({
    product_id: id,
    source,
    position,
    name,
    value,
  }))
  if (attributes.length > 0) await db.insertInto('product_attributes').values(attributes).execute()
  return id
}

/** Inserts the row of an image whose bytes aren't stored, at this place of a product's images if one is given. */
export async function createImage(db: Db, shown?: { productId: number; displayOrder: number }): Promise<number> {
  count += 1
  const { id } = await db
    .insertInto('images')
    .values({
      storage_key: `images/row-${count}`,
      file_name: 'a.png',
      content_type: 'image/png',
      size: 1,
      width: 1,
      height: 1,
      sha256: hash('sha256', `row ${count}`),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (shown !== undefined) {
    const link = { product_id: shown.productId, image_id: id, display_order: shown.displayOrder }
    await db.insertInto('product_images').values(link).execute()
  }
  return id
}

/** The address of an image as records show it. */
export async function imageAddress(db: Db, id: number): Promise<string> {
  const { sha256 } = await db.selectFrom('images').select('sha256').where('id', '=', id).executeTakeFirstOrThrow()
  return `/api/v1/images/${id}?v=${sha256.slice(0, 12)}`
}

/**
 * Inserts many products of realistic width, for query plans on a large table, and updates the statistics.
 * @param categoryIds the products are distributed over them
 */
export async function createManyProducts(
  db: Db,
  howMany: number,
  categoryIds: number[],
  brandIds: number[],
): Promise<void> {
  // In batches, so that no statement times out on a busy machine.
  for (let first = 1; first <= howMany; first += 5000) {
    await insertManyProducts(db, first, Math.min(howMany, first + 4999), categoryIds, brandIds)
  }
  await sql`vacuum analyze products`.execute(db)
}

async function insertManyProducts(
  db: Db,
  first: number,
  last: number,
  categoryIds: number[],
  brandIds: number[],
): Promise<void> {
  await sql`
    insert into products (external_id, name, description, slug, price, stock, category_id, brand_id, created_at)
    select 'many-' || n,
      (array['Дрель ударная', 'Шуруповёрт', 'Лампа настольная', 'Картридж', 'Перфоратор', 'Кабель', 'Монитор'])[1 + n % 7]
        || ' ' || (array['Вектор', 'Сокол', 'Радуга', 'Гранит', 'Полюс'])[1 + n / 7 % 5] || ' ' || left(md5(n::text), 12),
      repeat('Описание товара ', 25),
      'many-' || n, (n::bigint * 7919 % 1000000)::numeric / 100, n % 13,
      (${categoryIds}::int[])[1 + n % ${categoryIds.length}::int], (${brandIds}::int[])[1 + n % ${brandIds.length}::int],
      now() - n * interval '1 minute'
    from generate_series(${first}::int, ${last}::int) n`.execute(db)
}

async function recordSlug(db: Db, kind: SlugKind, slug: string, entityId: number): Promise<void> {
  await db.insertInto('slug_history').values({ kind, slug, entity_id: entityId, base: slug, suffix: 1 }).execute()
}
