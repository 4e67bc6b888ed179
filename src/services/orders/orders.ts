import type { Db } from '../../../db/database.ts'
import { findUser } from '../../../db/queries/accounts/users.ts'
import { listItems, listItemsByOrder } from '../../../db/queries/orders/items.ts'
import * as queries from '../../../db/queries/orders/orders.ts'
import { listSubmitAttempts } from '../../../db/queries/orders/submit-attempts.ts'
import type { OrderRow } from '../../../db/tables/orders.ts'
import type { Deps } from '../../deps.ts'
import { found, notFound } from '../../errors.ts'
import { type Actor, atLeast } from '../../rules/accounts/roles.ts'
import { dateRange } from '../../rules/lists.ts'
import { namedId, searchedId } from '../../rules/orders/states.ts'
import { searchTexts } from '../../rules/phone.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import { unseal } from '../../runtime/secrets.ts'
import { type Page, toPage } from '../../schemas/lists.ts'
import * as wire from '../../schemas/orders.ts'
import { serialize } from '../../schemas/serialization.ts'
import { type CsvFile, exportCsv, inOrder } from '../exports.ts'
import { settingValues } from '../settings/settings.ts'
import { orderForStaff, ordersForStaff, toHistoryEntry, toOrder, toOrderRecord, toSubmitAttempt } from './json.ts'

/** What placing and changing orders depends on. */
export type OrderContext = Pick<Deps, 'config' | 'log'> & { settings: SettingValues }

/** Reads the settings. Call it outside of transactions: it may need a connection of the pool. */
export async function orderContext(deps: Deps): Promise<OrderContext> {
  return { config: deps.config, log: deps.log, settings: await settingValues(deps) }
}

/** The token of an order's link; null for an order without one, or sealed with an earlier JWT_SECRET. */
export function trackingTokenOf({ tracking_sealed }: OrderRow, secret: string): string | null {
  return tracking_sealed && unseal(secret, tracking_sealed)
}

/** The JSON of an order with what its caller may see of it. */
export async function orderFor({ db }: Deps, caller: Actor, row: OrderRow): Promise<string> {
  return seesAllOrders(caller)
    ? serialize(wire.StaffOrder, await orderForStaff(db, row))
    : serialize(wire.Order, toOrder(row, await listItems(db, row.id)))
}

/** Lists the caller's own orders. @returns the JSON of the page */
export async function listMyOrders(
  { db }: Deps,
  caller: Actor & { id: number },
  query: wire.OrderPageQuery,
): Promise<string> {
  const filter = { userId: caller.id }
  return seesAllOrders(caller)
    ? serialize(wire.StaffOrderPage, await listPage(db, filter, query, ordersForStaff))
    : serialize(wire.OrderPage, await listPage(db, filter, query, ordersForCustomer))
}

/** Lists the orders of a user, for staff. @throws AppError 404 for an unknown user */
export async function listUserOrders(
  { db }: Deps,
  userId: number,
  query: wire.OrderPageQuery,
): Promise<Page<wire.StaffOrder>> {
  found(await findUser(db, userId), 'user')
  return listPage(db, { userId }, query, ordersForStaff)
}

/** Lists orders for staff. */
export function listOrders(deps: Deps, query: wire.OrderQuery): Promise<Page<wire.StaffOrder>> {
  return listPage(deps.db, readOrderQuery(deps, query).filter, query, ordersForStaff)
}

const { items: _, version: __, ...orderMembers } = wire.OrderRecord.properties
const { id: itemId, ...itemMembers } = wire.OrderItem.properties

/** Exports the orders of staff's list, with a line for each item. @throws AppError 400 */
export function exportOrders(deps: Deps, { delimiter, ...query }: wire.OrderExportQuery): Promise<CsvFile> {
  const { db } = deps
  const { filter, sort } = readOrderQuery(deps, query)
  const source = {
    name: 'orders',
    header: Object.keys({ ...orderMembers, itemId, ...itemMembers }),
    listIds: () => queries.listOrderIds(db, filter, sort),
    async readLines(ids: number[]) {
      const rows = inOrder(ids, await queries.findOrders(db, ids))
      const lines = await listItemsByOrder(db, ids)
      return rows.flatMap((row) => {
        const { items, version: _, ...order } = toOrderRecord(row, lines.get(row.id) ?? [])
        return items.map(({ id: itemId, ...item }) => Object.values({ ...order, itemId, ...item }))
      })
    },
  }
  return exportCsv(deps, source, delimiter)
}

/** Filter and sort of staff's list. */
function readOrderQuery(deps: Deps, { sort, ...query }: Omit<wire.OrderQuery, 'page' | 'size'>) {
  const searched = sort === undefined ? searchedId(query.search ?? '') : undefined
  return { filter: { ...toOrderFilter(deps, query), searchedId: searched }, sort: sort ?? NEWEST_FIRST }
}

/** The orders that staff's filters leave. */
export function toOrderFilter(
  { config }: Deps,
  { status, userId, search = '', ...dates }: wire.OrderFilters,
): queries.OrderFilter {
  const id = namedId(search)
  return {
    id,
    userId,
    statuses: status ?? [],
    searchTexts: id === undefined ? searchTexts(search) : [],
    ...dateRange(dates, config.shopTimeZone),
  }
}

const NEWEST_FIRST = { field: 'createdAt', descending: true } as const

/** Gets an order for its owner or staff. @returns its JSON @throws AppError 404 for everyone else */
export async function getOrder(deps: Deps, caller: Actor, id: number): Promise<string> {
  const row = await queries.findOrder(deps.db, id)
  if (row === undefined || !(seesAllOrders(caller) || (caller.id !== null && row.user_id === caller.id)))
    throw notFound('order')
  return orderFor(deps, caller, row)
}

/** Gets an order with its history and submit attempts, for staff. @throws AppError 404 */
export async function getOrderDetails({ db }: Deps, id: number): Promise<wire.OrderDetails> {
  const row = found(await queries.findOrder(db, id), 'order')
  const history = await queries.listHistory(db, id)
  const attempts = await listSubmitAttempts(db, id)
  return {
    ...(await orderForStaff(db, row)),
    history: history.map(toHistoryEntry),
    submitAttempts: attempts.map(toSubmitAttempt),
  }
}

async function listPage<T>(
  db: Db,
  filter: queries.OrderFilter,
  query: wire.OrderPageQuery,
  toJson: (db: Db, rows: OrderRow[]) => Promise<T[]>,
): Promise<Page<T>> {
  const { rows, total } = await queries.listOrders(db, filter, query.sort ?? NEWEST_FIRST, query)
  return toPage({ rows: await toJson(db, rows), total }, query, (order) => order)
}

async function ordersForCustomer(db: Db, rows: OrderRow[]): Promise<wire.Order[]> {
  const ids = rows.map(({ id }) => id)
  const items = await listItemsByOrder(db, ids)
  return rows.map((row) => toOrder(row, items.get(row.id) ?? []))
}

/** Whether the caller sees everyone's orders, with what only staff see of them. */
function seesAllOrders(caller: Actor): boolean {
  return atLeast(caller.role, 'MANAGER')
}
