import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Sort } from '../../../src/rules/lists.ts'
import type { Db, Tables } from '../../database.ts'
import { type PageOf, type PageRequest, readPage, sorted } from '../../paging.ts'
import type { OrderRow, OrderStatus } from '../../tables/orders.ts'
import { literally } from '../like-pattern.ts'

export type OrderFilter = {
  userId?: number
  status?: OrderStatus
  /** Included. */
  from?: Date
  /** Not included. */
  until?: Date
  /** Parts of `search_text`, of which one must be there; none: no search. */
  searchTexts?: string[]
}

/** The condition of a filter, for statements that read from `orders`. */
export function matchOrders(
  eb: ExpressionBuilder<Tables, 'orders'>,
  filter: OrderFilter,
): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = []
  if (filter.userId !== undefined) conditions.push(eb('user_id', '=', filter.userId))
  if (filter.status !== undefined) conditions.push(eb('status', '=', filter.status))
  if (filter.from !== undefined) conditions.push(eb('created_at', '>=', filter.from))
  if (filter.until !== undefined) conditions.push(eb('created_at', '<', filter.until))
  const texts = (filter.searchTexts ?? []).map((text) => eb('search_text', 'like', `%${literally(text)}%`))
  if (texts.length > 0) conditions.push(eb.or(texts))
  return eb.and(conditions)
}

export function listOrders(
  db: Db,
  filter: OrderFilter,
  sort: Sort<keyof OrderRow>,
  page: PageRequest,
): Promise<PageOf<OrderRow>> {
  const matching = db.selectFrom('orders').where((eb) => matchOrders(eb, filter))
  return readPage(sorted(matching.selectAll(), sort), page)
}
