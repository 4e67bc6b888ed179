import { type QueryCreator, sql } from 'kysely'
import type { Tables } from '../../database.ts'
import type { CatalogueTables } from '../../tables/catalogue.ts'
import { attributeKey } from './attributes.ts'

/** Whether `rule` applies to the name of `given`. */
export const APPLIES = sql<boolean>`${attributeKey(sql`rule.alias`)} = ${attributeKey(sql`given.name`)}`
/** The name after the rule, if one applies; null where it drops the attribute. */
export const RULED_NAME = sql<string | null>`
  case when rule.id is null then given.name when not rule.ignore then rule.name end`
/** The given name where a rule applies. */
export const SUPPLIER_NAME = sql<string | null>`case when rule.id is not null then given.name end`

/** `page`: the products whose attributes are replaced. `supplied`: all that they shall have, with the names as supplied. */
type Sources = Tables & {
  page: { product_id: number }
  supplied: { product_id: number; position: number; name: string; value: string }
}

/**
 * Adds common table expressions that replace attributes, named by the rules. Only rows that differ are written; the last one,
 * `replaced`, has the products of these.
 */
export function withReplacedAttributes(
  db: QueryCreator<Sources>,
  source: CatalogueTables['product_attributes']['source'],
) {
  return db
    .with(
      (cte) => cte('ruled').materialized(),
      (db) =>
        db
          // Comparing takes longer than finding the names of which many products have the same.
          .selectFrom((eb) => eb.selectFrom('supplied').select('name').distinct().as('given'))
          .innerJoin('attribute_rules as rule', (join) => join.on(APPLIES))
          .select(['given.name as supplied_name', 'rule.id', 'rule.name', 'rule.ignore']),
    )
    .with(
      (cte) => cte('wanted').materialized(),
      (db) =>
        db
          .selectFrom('supplied as given')
          .leftJoin('ruled as rule', 'rule.supplied_name', 'given.name')
          .select(['given.product_id', 'given.position', 'given.value'])
          .select([RULED_NAME.as('name'), SUPPLIER_NAME.as('supplier_name')]),
    )
    .with(
      (cte) => cte('present').materialized(),
      (db) =>
        db
          .selectFrom('product_attributes')
          .select(['product_id', 'position', 'name', 'supplier_name', 'value'])
          .where('source', '=', source)
          .where('product_id', 'in', (eb) => eb.selectFrom('page').select('page.product_id')),
    )
    .with('deleted', (db) =>
      db
        .deleteFrom('product_attributes as a')
        .using('present as p')
        .whereRef('a.product_id', '=', 'p.product_id')
        .where('a.source', '=', source)
        .whereRef('a.position', '=', 'p.position')
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('wanted as w')
                .select('w.position')
                .whereRef('w.product_id', '=', 'p.product_id')
                .whereRef('w.position', '=', 'p.position'),
            ),
          ),
        )
        .returning('a.product_id'),
    )
    .with('written', (db) =>
      db
        .insertInto('product_attributes')
        .columns(['product_id', 'source', 'position', 'name', 'supplier_name', 'value'])
        .expression(
          db
            .selectFrom('wanted as w')
            .leftJoin('present as p', (join) =>
              join.onRef('p.product_id', '=', 'w.product_id').onRef('p.position', '=', 'w.position'),
            )
            .select(({ val }) => [
              'w.product_id',
              val(source).as('source'),
              'w.position',
              'w.name',
              'w.supplier_name',
              'w.value',
            ])
            .where(({ eb, refTuple }) =>
              eb(
                refTuple('p.name', 'p.supplier_name', 'p.value'),
                'is distinct from',
                refTuple('w.name', 'w.supplier_name', 'w.value'),
              ),
            ),
        )
        .onConflict((conflict) =>
          conflict.columns(['product_id', 'source', 'position']).doUpdateSet(({ ref }) => ({
            name: ref('excluded.name'),
            supplier_name: ref('excluded.supplier_name'),
            value: ref('excluded.value'),
          })),
        )
        .returning('product_id'),
    )
    .with('replaced', (db) =>
      db.selectFrom('deleted').select('product_id').union(db.selectFrom('written').select('product_id')),
    )
}
