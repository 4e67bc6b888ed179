import type { Db } from '../../../db/database.ts'
import { findUser } from '../../../db/queries/accounts/users.ts'
import { listItems } from '../../../db/queries/orders/items.ts'
import * as lists from '../../../db/queries/orders/lists.ts'
import { findOrder, listHistory, listSubmitAttempts } from '../../../db/queries/orders/orders.ts'
import { ORDER_SORT } from '../../../db/tables/orders.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import { atLeast } from '../../rules/accounts/roles.ts'
import { readDateRange, readSort } from '../../rules/lists.ts'
import { searchTexts } from '../../rules/orders/states.ts'
import type { CacheRegion } from '../../runtime/cache-region.ts'
import { type Page, toPage } from '../../schemas/common.ts'
import type { OrderDetails } from '../../schemas/order-details.ts'
import type { Order, OrderPageQuery, OrderQuery } from '../../schemas/orders.ts'
import { toOrder } from './json.ts'

/** The caller's own orders, the newest first. */
export function listMyOrders(
  { db }: Pick<Deps, 'db'>,
  caller: UserRow,
  query: OrderPageQuery,
): Promise<Page<Order>> {
  return listPage(db, { userId: caller.id }, query, { staff: seesAll(caller) })
}

/** The orders of a user, for staff. @throws AppError 404 when there is no such user */
export async function listUserOrders(
  { db }: Pick<Deps, 'db'>,
  userId: number,
  query: OrderPageQuery,
): Promise<Page<Order>> {
  if (!(await findUser(db, userId))) throw notFound('user')
  return listPage(db, { userId }, query, { staff: true })
}

/** Specification, "Orders (staff)". */
export function listOrders(
  { db, config, cached }: Pick<Deps, 'db' | 'config' | 'cached'>,
  query: OrderQuery,
): Promise<Page<Order>> {
  const filter: lists.OrderFilter = { searchTexts: searchTexts(query.search ?? '') }
  if (query.status !== undefined) filter.status = query.status
  const { shopTimeZone } = config
  return listPage(db, { ...filter, ...readDateRange(query, shopTimeZone) }, query, {
    staff: true,
    known: cached.orderLists,
  })
}

/** An order, for its owner and for staff. @throws AppError 404 for everybody else */
export async function getOrder({ db }: Pick<Deps, 'db'>, caller: UserRow, id: number): Promise<Order> {
  const row = await findOrder(db, id)
  if (row === undefined || !(seesAll(caller) || row.user_id === caller.id)) throw notFound('order')
  return toOrder(row, await listItems(db, [id]), seesAll(caller))
}

/** An order with its history and the attempts to submit it, for staff. @throws AppError 404 */
export async function getOrderDetails({ db }: Pick<Deps, 'db'>, id: number): Promise<OrderDetails> {
  const row = await findOrder(db, id)
  if (row === undefined) throw notFound('order')
  const history = await listHistory(db, id)
  const attempts = await listSubmitAttempts(db, id)
  return {
    ...toOrder(row, await listItems(db, [id]), true),
    history: history.map((entry) => ({
      changedAt: entry.changed_at.toISOString(),
      userId: entry.user_id,
      userName: entry.user_name,
      fromStatus: entry.from_status,
      toStatus: entry.to_status,
    })),
    submitAttempts: attempts.map((attempt) => ({
      startedAt: attempt.started_at.toISOString(),
      durationMs: attempt.duration_ms,
      outcome: attempt.outcome,
      error: attempt.error,
      request: attempt.request,
      response: attempt.response,
    })),
  }
}

/** Whether the caller works with everybody's orders, and sees what staff wrote about them. */
function seesAll(caller: UserRow): boolean {
  return atLeast(caller.role, 'MANAGER')
}

async function listPage(
  db: Db,
  filter: lists.OrderFilter,
  query: OrderPageQuery,
  { staff, known }: { staff: boolean; known?: CacheRegion<lists.KnownList> },
): Promise<Page<Order>> {
  const sort = readSort(query.sort, ORDER_SORT, 'createdAt,desc')
  const list = await known?.get(JSON.stringify([filter, sort]), async () => lists.unknownList())
  const found = await lists.listOrders(db, filter, sort, query, list)
  return toPage(found, query, (row) => toOrder(row, row.items, staff))
}
