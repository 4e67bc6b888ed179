import { sql } from 'kysely'
import type { Trx } from '../../database.ts'

/** Replaces the MANUAL attributes of a locked product; writes only differences. */
export async function replaceManualAttributes(
  trx: Trx,
  productId: number,
  attributes: { name: string; value: string }[],
): Promise<void> {
  const rows = attributes.map(({ name, value }, position) => ({ position, name, value }))
  await sql`
    with removed as (
      delete from product_attributes
      where product_id = ${productId}::int and source = 'MANUAL' and position >= ${rows.length}::int
    )
    insert into product_attributes as a (product_id, source, position, name, value)
    select ${productId}::int, 'MANUAL', position, name, value
    from json_to_recordset(${JSON.stringify(rows)}::json) as i(position int, name text, value text)
    on conflict (product_id, source, position) do update set name = excluded.name, value = excluded.value
    where (a.name, a.value) is distinct from (excluded.name, excluded.value)`.execute(trx)
}

/** Replaces the tags of a locked product. */
export async function replaceTags(trx: Trx, productId: number, tagIds: number[]): Promise<void> {
  await sql`
    with removed as (
      delete from product_tags where product_id = ${productId}::int and not tag_id = any(${tagIds}::int[])
    )
    insert into product_tags (product_id, tag_id)
    select ${productId}::int, id from unnest(${tagIds}::int[]) id
    on conflict do nothing`.execute(trx)
}

export type ImageLink = { id: number; displayOrder: number }

/** Replaces the images of a locked product; writes only differences. */
export async function replaceImages(trx: Trx, productId: number, links: ImageLink[]): Promise<void> {
  const ids = links.map(({ id }) => id)
  const orders = links.map(({ displayOrder }) => displayOrder)
  await sql`
    with removed as (
      delete from product_images where product_id = ${productId}::int and not image_id = any(${ids}::int[])
    )
    insert into product_images as i (product_id, image_id, display_order)
    select ${productId}::int, id, display_order from unnest(${ids}::int[], ${orders}::int[]) as l (id, display_order)
    on conflict (product_id, image_id) do update set display_order = excluded.display_order
    where i.display_order <> excluded.display_order`.execute(trx)
}
