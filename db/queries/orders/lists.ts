import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Sort } from '../../../src/rules/lists.ts'
import type { Db, Tables, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readIds, readPage, sorted } from '../../paging.ts'
import type { OrderRow, OrderStatus } from '../../tables/orders.ts'
import { literally } from '../like-pattern.ts'

export type OrderFilter = {
  userId?: number
  statuses?: OrderStatus[]
  /** Inclusive. */
  from?: Date
  /** Exclusive. */
  until?: Date
  /** Orders whose `search_text` contains at least one of these; empty means no search. */
  searchTexts?: string[]
  /** Listed first: the order that a search names by its number, before phones with the same digits. */
  searchedId?: number
}

function matchOrders(eb: ExpressionBuilder<Tables, 'orders'>, filter: OrderFilter): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = []
  if (filter.userId !== undefined) conditions.push(eb('user_id', '=', filter.userId))
  const [status, ...others] = filter.statuses ?? []
  if (status !== undefined) {
    conditions.push(others.length === 0 ? eb('status', '=', status) : eb('status', 'in', [status, ...others]))
  }
  if (filter.from !== undefined) conditions.push(eb('created_at', '>=', filter.from))
  if (filter.until !== undefined) conditions.push(eb('created_at', '<', filter.until))
  const texts = (filter.searchTexts ?? []).map((text) => eb('search_text', 'like', `%${literally(text)}%`))
  if (texts.length > 0) conditions.push(eb.or(texts))
  return eb.and(conditions)
}

export type OrderSort = Sort<'created_at' | 'id' | 'status' | 'total'>

/** Lists a page of the matching orders, first the one that the search names by its number; see ORDER_SORT for indexes. */
export function listOrders(
  db: Db,
  filter: OrderFilter,
  sort: OrderSort,
  page: PageRequest,
): Promise<PageOf<OrderRow>> {
  const { searchedId } = filter
  let matching = db
    .selectFrom('orders')
    .selectAll()
    .where((eb) => matchOrders(eb, filter))
  if (searchedId !== undefined) matching = matching.orderBy((eb) => eb('id', '=', searchedId), 'desc')
  return readPage(sorted(matching, sort), page)
}

/** Lists the ids of all matching orders. */
export async function listOrderIds(db: Db, filter: OrderFilter, sort: OrderSort): Promise<number[]> {
  const matching = db
    .selectFrom('orders')
    .select('id')
    .where((eb) => matchOrders(eb, filter))
  return readIds(db, sorted(matching, sort))
}

/** Counts the matching orders. */
export async function countOrders(db: Db, filter: OrderFilter): Promise<number> {
  const { total } = await db
    .selectFrom('orders')
    .where((eb) => matchOrders(eb, filter))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** Locks the next matching orders by id until the transaction ends. @returns their ids */
export async function lockNextOrders(
  trx: Trx,
  filter: OrderFilter,
  afterId: number,
  limit: number,
): Promise<number[]> {
  const rows = await trx
    .selectFrom('orders')
    .where((eb) => matchOrders(eb, filter))
    .where('id', '>', afterId)
    .select('id')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute()
  return rows.map(({ id }) => id)
}
