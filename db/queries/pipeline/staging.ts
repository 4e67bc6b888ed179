import { type QueryCreator, sql } from 'kysely'
import type { SupplierFeedCategory, SupplierFeedOffer } from '../../../src/rules/pipeline/offers.ts'
import type { Db, Tables, Trx } from '../../database.ts'
import { withReplacedAttributes } from '../catalogue/product-attributes.ts'

/** Requires lockRun. */
export async function clearStaging(trx: Trx): Promise<void> {
  // The builder has no truncate.
  await sql`truncate xml_staged_offers, xml_staged_categories`.execute(trx)
}

/**
 * Stores offers; requires lockRun. A repeated id overwrites the earlier offer.
 * @param offers an array of SupplierFeedOffer as JSON, with distinct ids
 */
export async function stageOffers(trx: Trx, runId: number, offers: string): Promise<void> {
  await trx
    .insertInto('xml_staged_offers')
    .columns([
      'run_id',
      'offer_id',
      'position',
      'name',
      'price',
      'digests',
      'category_id',
      'page_url',
      'pictures',
      'params',
    ])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<SupplierFeedOffer>`json_to_recordset(${offers}::json)`.as<'i'>(
            sql`i(id text, position int, name text, price text, digest text, "categoryId" text, "pageUrl" text,
              pictures json, params json)`,
          ),
        )
        .select(({ val }) => [val(runId).as('run_id'), 'id', 'position', 'name', 'price', 'digest'])
        .select(['categoryId', 'pageUrl', 'pictures', 'params']),
    )
    .onConflict((conflict) =>
      conflict.column('offer_id').doUpdateSet(({ ref }) => ({
        name: ref('excluded.name'),
        price: ref('excluded.price'),
        digests: ref('excluded.digests'),
        category_id: ref('excluded.category_id'),
        page_url: ref('excluded.page_url'),
        pictures: ref('excluded.pictures'),
        params: ref('excluded.params'),
      })),
    )
    .execute()
}

/** As stageOffers, for an array of SupplierFeedCategory. */
export async function stageCategories(trx: Trx, runId: number, categories: string): Promise<void> {
  await trx
    .insertInto('xml_staged_categories')
    .columns(['run_id', 'feed_category_id', 'name', 'parent_id', 'position'])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<SupplierFeedCategory>`json_to_recordset(${categories}::json)`.as<'i'>(
            sql`i(id text, position int, name text, "parentId" text)`,
          ),
        )
        .select(({ val }) => [val(runId).as('run_id'), 'id', 'name', 'parentId', 'position']),
    )
    .onConflict((conflict) =>
      conflict
        .column('feed_category_id')
        .doUpdateSet(({ ref }) => ({ name: ref('excluded.name'), parent_id: ref('excluded.parent_id') })),
    )
    .execute()
}

/** `lastPosition`: the highest position of an offer. */
export function countStaged(db: Db, runId: number) {
  return db
    .selectFrom('xml_staged_offers')
    .select(({ fn, lit, selectFrom }) => [
      fn.countAll<number>().as('offers'),
      fn.coalesce(fn.max('position'), lit(0)).as('lastPosition'),
      selectFrom('xml_staged_categories')
        .select(fn.countAll<number>().as('count'))
        .where('run_id', '=', runId)
        .$asScalar()
        .$notNull()
        .as('categories'),
    ])
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow()
}

/** Without statistics the planner assumes an empty table. */
export async function analyzeStaged(db: Db): Promise<void> {
  // The builder has no analyze.
  await sql`analyze xml_staged_offers`.execute(db)
}

/** Staged offers by position: `from` inclusive, `to` exclusive. */
export type Slice = { runId: number; from: number; to: number }

/** The offers of a slice that have a product. */
function offersWithProduct(db: QueryCreator<Tables>, { runId, from, to }: Slice) {
  return db
    .selectFrom('xml_staged_offers as s')
    .innerJoin('products as p', 'p.external_id', 's.offer_id')
    .where('s.run_id', '=', runId)
    .where('s.position', '>=', from)
    .where('s.position', '<', to)
}

/**
 * Replaces the FEED attributes of a slice's products by the offers' params, renamed or dropped by the rules. Duplicates
 * are dropped, and unchanged rows are not written.
 * @returns `matched`: the number of offers with a product; `changed`: ids of products with other attributes than before
 */
export function applyAttributes(trx: Trx, slice: Slice) {
  const supplied = trx
    .with(
      (cte) => cte('page').materialized(),
      (db) => offersWithProduct(db, slice).select(['p.id as product_id', 's.params']),
    )
    .with(
      (cte) => cte('supplied').materialized(),
      (db) =>
        db
          .selectFrom([
            'page',
            sql<{ name: string; value: string; place: number }>`rows from (
              json_to_recordset(page.params) as (name text, value text)) with ordinality`.as<'param'>(
              sql`param(name, value, place)`,
            ),
          ])
          .select([
            'page.product_id',
            'param.name',
            'param.value',
            sql<number>`(row_number() over (partition by page.product_id order by min(param.place)) - 1)::int`.as(
              'position',
            ),
          ])
          .groupBy(['page.product_id', 'param.name', 'param.value']),
    )
  return withReplacedAttributes(supplied, 'FEED')
    .selectNoFrom(({ selectFrom, fn }) => [
      selectFrom('page').select(fn.countAll<number>().as('count')).$asScalar().$notNull().as('matched'),
      sql<number[]>`array(${selectFrom('replaced').select('product_id')})`.as('changed'),
    ])
    .executeTakeFirstOrThrow()
}

/** Stores page and picture URLs of a slice of offers. @returns the number of products with new ones */
export async function saveSupplierFeedUrls(trx: Trx, slice: Slice): Promise<number> {
  const { saved } = await trx
    .with(
      (cte) => cte('incoming').materialized(),
      (db) =>
        offersWithProduct(db, slice).select([
          'p.id as product_id',
          's.page_url',
          sql<string[]>`array(select json_array_elements_text(s.pictures))`.as('pictures'),
        ]),
    )
    .with('saved', (db) =>
      db
        .insertInto('product_feed_data')
        .columns(['product_id', 'page_url', 'pictures'])
        .expression(
          db
            .selectFrom('incoming as i')
            .select(['i.product_id', 'i.page_url', 'i.pictures'])
            .where(({ not, exists, selectFrom }) =>
              not(
                exists(
                  selectFrom('product_feed_data as same')
                    .select('same.product_id')
                    .whereRef('same.product_id', '=', 'i.product_id')
                    .whereRef('same.page_url', 'is not distinct from', 'i.page_url')
                    .whereRef('same.pictures', '=', 'i.pictures'),
                ),
              ),
            ),
        )
        .onConflict((conflict) =>
          conflict
            .column('product_id')
            .doUpdateSet(({ ref }) => ({ page_url: ref('excluded.page_url'), pictures: ref('excluded.pictures') })),
        )
        .returning('product_id'),
    )
    .selectFrom('saved')
    .select(({ fn }) => fn.countAll<number>().as('saved'))
    .executeTakeFirstOrThrow()
  return saved
}
