import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Db, Tables } from '../../database.ts'
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

/** Each is the order of an index. */
const COLUMNS = {
  createdAt: ['created_at', 'id'],
  id: ['id'],
  status: ['status', 'created_at', 'id'],
} as const satisfies Record<OrderSort['field'], (keyof OrderRow)[]>

/** A page of orders; ties are broken by id, so that the order is total. */
export async function listOrders(
  db: Db,
  filter: OrderFilter,
  sort: OrderSort,
  page: { page: number; size: number },
): Promise<{ rows: OrderRow[]; total: number }> {
  const direction = sort.descending ? 'desc' : 'asc'
  const matching = db.selectFrom('orders').where((eb) => matchOrders(eb, filter))
  const rows = await COLUMNS[sort.field]
    .reduce((query, column) => query.orderBy(column, direction), matching.selectAll())
    .limit(page.size)
    .offset(page.page * page.size)
    .execute()
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total }
}
