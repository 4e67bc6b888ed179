import type { Expression, SqlBool } from 'kysely'
import type { Db } from '../../database.ts'
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

export type OrderSort = { field: 'createdAt' | 'id' | 'status'; descending: boolean }

/** Orders of a filter. */
export function matchOrders(db: Db, filter: OrderFilter) {
  return db.selectFrom('orders').where((eb) => {
    const conditions: Expression<SqlBool>[] = []
    if (filter.userId !== undefined) conditions.push(eb('user_id', '=', filter.userId))
    if (filter.status !== undefined) conditions.push(eb('status', '=', filter.status))
    if (filter.from !== undefined) conditions.push(eb('created_at', '>=', filter.from))
    if (filter.until !== undefined) conditions.push(eb('created_at', '<', filter.until))
    const texts = (filter.searchTexts ?? []).map((text) => eb('search_text', 'like', `%${literally(text)}%`))
    if (texts.length > 0) conditions.push(eb.or(texts))
    return conditions.length === 0 ? eb.lit(true) : eb.and(conditions)
  })
}

/** A page of orders; ties are broken by id, so that the order is total. */
export function orderPage(
  db: Db,
  filter: OrderFilter,
  sort: OrderSort,
  page: { page: number; size: number },
) {
  const direction = sort.descending ? 'desc' : 'asc'
  return COLUMNS[sort.field]
    .reduce((query, column) => query.orderBy(column, direction), matchOrders(db, filter).selectAll())
    .limit(page.size)
    .offset(page.page * page.size)
}

/** Each is the order of an index. */
const COLUMNS = {
  createdAt: ['created_at', 'id'],
  id: ['id'],
  status: ['status', 'created_at', 'id'],
} as const satisfies Record<OrderSort['field'], (keyof OrderRow)[]>

export async function listOrders(
  db: Db,
  filter: OrderFilter,
  sort: OrderSort,
  page: { page: number; size: number },
): Promise<{ rows: OrderRow[]; total: number }> {
  const rows = await orderPage(db, filter, sort, page).execute()
  const { total } = await matchOrders(db, filter)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total }
}
