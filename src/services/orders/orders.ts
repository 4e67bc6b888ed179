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
import { type JsonBytes, pageOf, toJsonBytes } from '../../runtime/cache/json-bytes.ts'
import type { CachedRecord } from '../../runtime/cache/record-cache.ts'
import { type Page, pageNumbers, toPage } from '../../schemas/common.ts'
import type { OrderDetails } from '../../schemas/order-details.ts'
import type { Order, OrderPageQuery, OrderQuery } from '../../schemas/orders.ts'
import { toOrder } from './json.ts'

/** The caller's own orders, the newest first. */
export async function listMyOrders(
  { db }: Pick<Deps, 'db'>,
  caller: UserRow,
  query: OrderPageQuery,
): Promise<Page<Order>> {
  const { rows, total } = await lists.listOrderVersions(db, { userId: caller.id }, sortOf(query), query)
  const orders = await lists.findOrdersWithItems(
    db,
    rows.map(({ id }) => id),
  )
  const byId = new Map(orders.map((order) => [order.id, order]))
  const found = rows.flatMap(({ id }) => byId.get(id) ?? [])
  return toPage({ rows: found, total }, query, (row) => toOrder(row, row.items, seesAll(caller)))
}

/** The orders of a user as JSON, for staff. @throws AppError 404 when there is no such user */
export async function listUserOrders(
  deps: Pick<Deps, 'db' | 'cached'>,
  userId: number,
  query: OrderPageQuery,
): Promise<JsonBytes> {
  if (!(await findUser(deps.db, userId))) throw notFound('user')
  return listForStaff(deps, { userId }, query)
}

/** Orders as JSON, for staff (specification, "Orders (staff)"). */
export async function listOrders(
  deps: Pick<Deps, 'db' | 'config' | 'cached'>,
  query: OrderQuery,
): Promise<JsonBytes> {
  const filter: lists.OrderFilter = {
    searchTexts: searchTexts(query.search ?? ''),
    ...readDateRange(query, deps.config.shopTimeZone),
  }
  if (query.status !== undefined) filter.status = query.status
  const list = JSON.stringify([filter, sortOf(query)])
  const known = await deps.cached.orderLists.get(list, async () => lists.unknownList())
  return listForStaff(deps, filter, query, known)
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

/** A page put together of orders that are JSON already; only those are read that changed since. */
async function listForStaff(
  { db, cached }: Pick<Deps, 'db' | 'cached'>,
  filter: lists.OrderFilter,
  query: OrderPageQuery,
  known?: lists.KnownList,
): Promise<JsonBytes> {
  const { rows, total } = await lists.listOrderVersions(db, filter, sortOf(query), query, known)
  const read = async (ids: number[]) => {
    const orders = await lists.findOrdersWithItems(db, ids)
    return new Map(orders.map((row) => [row.id, toRecord(row)]))
  }
  return cached.orders.joinAll(rows, read, (orders) => pageOf(orders, pageNumbers(total, query)))
}

function toRecord(row: lists.OrderWithItems): CachedRecord {
  return { json: toJsonBytes(toOrder(row, row.items, true)), version: row.version, available: false }
}

function sortOf({ sort }: OrderPageQuery) {
  return readSort(sort, ORDER_SORT, 'createdAt,desc')
}
