import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { onlyRow } from '../../prepared.ts'
import type { ProductImageOverrideRow } from '../../tables/scraping.ts'
import type { Slice } from './attributes.ts'

/** Stores page and picture URLs of a slice of offers. @returns the number of products with new ones */
export async function saveFeedData(trx: Trx, { runId, from, to }: Slice): Promise<number> {
  const { rows } = await sql<{ saved: number }>`
    with incoming as materialized (
      select p.id as product_id, s.page_url, array(select json_array_elements_text(s.pictures)) as pictures
      from xml_staged_offers s join products p on p.external_id = s.offer_id
      where s.run_id = ${runId} and s.position >= ${from} and s.position < ${to}
    ), saved as (
      insert into product_feed_data as d (product_id, page_url, pictures)
      select i.product_id, i.page_url, i.pictures from incoming i
      where not exists (
        select from product_feed_data same
        where same.product_id = i.product_id
          and (same.page_url, same.pictures) is not distinct from (i.page_url, i.pictures))
      on conflict (product_id) do update set page_url = excluded.page_url, pictures = excluded.pictures
      returning 1
    )
    select count(*) as saved from saved`.execute(trx)
  return onlyRow(rows).saved
}

export function listImageOverrides(db: Db, productId: number | null): Promise<ProductImageOverrideRow[]> {
  const all = db.selectFrom('product_image_overrides').selectAll().orderBy('id')
  return (productId === null ? all : all.where('product_id', '=', productId)).execute()
}
