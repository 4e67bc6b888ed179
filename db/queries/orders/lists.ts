import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readIds, readPage, type SortOf, sorted } from '../../paging.ts'
import type { OrderRow, OrderStatus } from '../../tables/orders.ts'
import { containsAny } from '../expressions.ts'

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

function matchOrders(db: Db, { userId, statuses = [], from, until, searchTexts = [] }: OrderFilter) {
  let query = db.selectFrom('orders')
  if (userId !== undefined) query = query.where('user_id', '=', userId)
  if (statuses.length > 0) query = query.where('status', 'in', statuses)
  if (from !== undefined) query = query.where('created_at', '>=', from)
  if (until !== undefined) query = query.where('created_at', '<', until)
  return searchTexts.length === 0 ? query : query.where(containsAny(sql`search_text`, searchTexts))
}

export type OrderSort = SortOf<'orders'>

/** The index of the status continues with the time. */
const ties = ({ field }: OrderSort) => (field === 'status' ? (['created_at'] as const) : [])

/** Lists a page of the matching orders, first the one that the search names by its number; see ORDER_SORT for indexes. */
export function listOrders(db: Db, filter: OrderFilter, sort: OrderSort, page: PageRequest): Promise<PageOf<OrderRow>> {
  const { searchedId } = filter
  let matching = matchOrders(db, filter).selectAll()
  if (searchedId !== undefined) matching = matching.orderBy((eb) => eb('id', '=', searchedId), 'desc')
  return readPage(sorted(matching, sort, ties(sort)), page)
}

/** Lists the ids of all matching orders. */
export function listOrderIds(db: Db, filter: OrderFilter, sort: OrderSort): Promise<number[]> {
  return readIds(db, sorted(matchOrders(db, filter).select('id'), sort, ties(sort)))
}

/** Counts the matching orders. */
export async function countOrders(db: Db, filter: OrderFilter): Promise<number> {
  const { total } = await matchOrders(db, filter)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** Locks the next matching orders by id until the transaction ends. @returns their ids */
export async function lockNextOrders(trx: Trx, filter: OrderFilter, afterId: number, limit: number): Promise<number[]> {
  const rows = await matchOrders(trx, filter)
    .where('id', '>', afterId)
    .select('id')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute()
  return rows.map(({ id }) => id)
}
