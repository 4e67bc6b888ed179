import { type SqlBool, sql } from 'kysely'

/**
 * Whether the attribute `a` is one that the card shows, as the rule mergeAttributes has it: a MANUAL one hides all
 * others of its name, one of the stock system those of the supplier's feed.
 */
export const isShown = sql<SqlBool>`(a.source = 'MANUAL' or (
  not exists (
    select from product_attributes m
    where m.product_id = a.product_id and m.source = 'MANUAL' and m.name = a.name)
  and (a.source <> 'FEED' or not exists (
    select from product_attributes e
    where e.product_id = a.product_id and e.source = 'EXTERNAL' and e.name = a.name))))`
