import { Type } from '@sinclair/typebox'
import type { Db } from '../../../db/database.ts'
import * as queries from '../../../db/queries/orders/orders.ts'
import { findRecord, findRecords } from '../../../db/queries/records.ts'
import type { OrderItemRow, OrderRow } from '../../../db/tables/orders.ts'
import type { Deps } from '../../deps.ts'
import { found, notFound } from '../../errors.ts'
import { type Actor, atLeast } from '../../rules/accounts/roles.ts'
import { dateRange } from '../../rules/lists.ts'
import { searchedId } from '../../rules/orders/states.ts'
import { searchTexts } from '../../rules/phone.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import { unseal } from '../../runtime/secrets.ts'
import { type Page, toPage } from '../../schemas/lists.ts'
import * as wire from '../../schemas/orders.ts'
import { type CsvFile, exportCsv, inOrder } from '../exports.ts'
import { settingValues } from '../settings/settings.ts'
import { toWire } from '../wire.ts'

/** What placing and changing orders depends on. */
export type OrderContext = Pick<Deps, 'config'> & { settings: SettingValues }

/** Reads the settings. Call it outside of transactions: it may need a connection of the pool. */
export async function orderContext(deps: Deps): Promise<OrderContext> {
  return { config: deps.config, settings: await settingValues(deps) }
}

/** The token of an order's link; null for an order without one, or sealed with an earlier JWT_SECRET. */
export function trackingTokenOf({ tracking_sealed }: OrderRow, secret: string): string | null {
  return tracking_sealed && unseal(secret, tracking_sealed)
}

/** Contract section 5, "Order JSON". @param staff whether to include the fields for staff */
export function toOrder(row: OrderRow, items: OrderItemRow[], staff: boolean): wire.Order {
  return toWire(wire.Order, { ...row, items: items.map((item) => toWire(wire.OrderItem, item)) }, staff)
}

/** An order with its lines as staff see it. */
export async function orderForStaff(db: Db, row: OrderRow): Promise<wire.Order> {
  return toOrder(row, await queries.listItems(db, row.id), true)
}

/** Lists the caller's own orders. */
export function listMyOrders(
  { db }: Deps,
  caller: Actor & { id: number },
  query: wire.OrderPageQuery,
): Promise<Page<wire.Order>> {
  return listPage(db, { userId: caller.id }, query, seesAllOrders(caller))
}

/** Lists the orders of a user, for staff. @throws AppError 404 for an unknown user */
export async function listUserOrders(
  { db }: Deps,
  userId: number,
  query: wire.OrderPageQuery,
): Promise<Page<wire.Order>> {
  found(await findRecord(db, 'users', userId), 'user')
  return listPage(db, { userId }, query, true)
}

/** Lists orders for staff (specification, "Orders (staff)"). */
export function listOrders(deps: Deps, query: wire.OrderQuery): Promise<Page<wire.Order>> {
  return listPage(deps.db, readOrderQuery(deps, query).filter, query, true)
}

const ExportedOrder = Type.Omit(wire.Order, ['items', 'version'])
const { id: itemId, ...itemFields } = wire.OrderItem.properties

/** Exports the orders of staff's list, with a line for each item. @throws AppError 400 */
export function exportOrders(deps: Deps, { delimiter, ...query }: wire.OrderExportQuery): Promise<CsvFile> {
  const { db } = deps
  const { filter, sort } = readOrderQuery(deps, query)
  const source = {
    name: 'orders',
    header: Object.keys({ ...ExportedOrder.properties, itemId, ...itemFields }),
    listIds: () => queries.listOrderIds(db, filter, sort),
    async readLines(ids: number[]) {
      const rows = inOrder(ids, await findRecords(db, 'orders', ids))
      const items = await queries.listItemsByOrder(db, ids)
      return rows.flatMap((row) => {
        const cells = Object.values(toWire(ExportedOrder, row, true))
        const lines = items.get(row.id) ?? []
        return lines.map((item) => [...cells, ...Object.values(toWire(wire.OrderItem, item))])
      })
    },
  }
  return exportCsv(deps, source, delimiter)
}

/** Filter and sort of staff's list. */
function readOrderQuery(
  { config }: Deps,
  { status, userId, sort, search = '', ...dates }: Omit<wire.OrderQuery, 'page' | 'size'>,
) {
  const filter: queries.OrderFilter = {
    userId,
    statuses: status ?? [],
    searchTexts: searchTexts(search),
    searchedId: sort === undefined ? searchedId(search) : undefined,
    ...dateRange(dates, config.shopTimeZone),
  }
  return { filter, sort: sort ?? NEWEST_FIRST }
}

const NEWEST_FIRST = { field: 'createdAt', descending: true } as const

/** Gets an order for its owner or staff. @throws AppError 404 for everyone else */
export async function getOrder({ db }: Deps, caller: Actor, id: number): Promise<wire.Order> {
  const row = await findRecord(db, 'orders', id)
  if (row === undefined || !(seesAllOrders(caller) || (caller.id !== null && row.user_id === caller.id)))
    throw notFound('order')
  return toOrder(row, await queries.listItems(db, id), seesAllOrders(caller))
}

/** Gets an order with its history and submit attempts, for staff. @throws AppError 404 */
export async function getOrderDetails({ db }: Deps, id: number): Promise<wire.OrderDetails> {
  const row = found(await findRecord(db, 'orders', id), 'order')
  const history = await queries.listHistory(db, id)
  const attempts = await queries.listSubmitAttempts(db, id)
  return {
    ...(await orderForStaff(db, row)),
    history: history.map((entry) => toWire(wire.OrderHistoryEntry, entry)),
    submitAttempts: attempts.map((attempt) => toWire(wire.SubmitAttempt, attempt)),
  }
}

async function listPage(
  db: Db,
  filter: queries.OrderFilter,
  query: wire.OrderPageQuery,
  forStaff: boolean,
): Promise<Page<wire.Order>> {
  const { rows, total } = await queries.listOrders(db, filter, query.sort ?? NEWEST_FIRST, query)
  const ids = rows.map(({ id }) => id)
  const items = await queries.listItemsByOrder(db, ids)
  return toPage({ rows, total }, query, (row) => toOrder(row, items.get(row.id) ?? [], forStaff))
}

/** Whether the caller sees everyone's orders, with what only staff see of them. */
function seesAllOrders(caller: Actor): boolean {
  return atLeast(caller.role, 'MANAGER')
}
