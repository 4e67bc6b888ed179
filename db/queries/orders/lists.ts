import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Sort } from '../../../src/rules/lists.ts'
import type { Db, Tables } from '../../database.ts'
import {
  addMark,
  type KnownList,
  type Mark,
  markBefore,
  type PageOf,
  type PageRequest,
  sorted,
  totalOf,
  unknownList,
} from '../../paging.ts'
import { anyOf, prepared, statement } from '../../prepared.ts'
import type { OrderItemRow, OrderRow, OrderStatus } from '../../tables/orders.ts'
import { literally } from '../like-pattern.ts'

export { type KnownList, unknownList }

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

/** What lists show of an order, and of its lines; in this order they come as JSON, which is quicker than as rows. */
const LISTED = [
  'id',
  'number',
  'status',
  'customer_name',
  'customer_phone',
  'customer_email',
  'delivery_method',
  'delivery_address',
  'comment',
  'user_id',
  'external_id',
  'admin_comment',
  'delivery_cost',
  'submit_error',
  'version',
  'created_at',
  'updated_at',
] as const satisfies (keyof OrderRow)[]
const LISTED_OF_ITEM = [
  'id',
  'product_id',
  'product_name',
  'price_at_order',
  'quantity',
  'line_total',
] as const satisfies (keyof OrderItemRow)[]
const MONEY: readonly string[] = ['delivery_cost', 'price_at_order', 'line_total']

export type ListedOrder = Pick<OrderRow, (typeof LISTED)[number]>
export type ListedItem = Pick<OrderItemRow, (typeof LISTED_OF_ITEM)[number]>
export type OrderWithItems = ListedOrder & { items: ListedItem[] }

/** The columns of `Row` with these names, as JSON has them: moments are ISO 8601 with all their digits. */
type Values<Row, Names extends readonly (keyof Row)[]> = {
  -readonly [N in keyof Names]: Row[Names[N]] extends Date ? string : Row[Names[N]]
}
type ItemValues = Values<ListedItem, typeof LISTED_OF_ITEM>
type OrderValues = [...Values<ListedOrder, typeof LISTED>, items: ItemValues[]]

type SortColumn = 'created_at' | 'id' | 'status'
const TYPES: Record<SortColumn, string> = { created_at: 'timestamptz', id: 'int', status: 'text' }

export type OrderVersion = { id: number; version: number }

/**
 * Which orders are on a page: found by an index alone, from a known row on, so that what lies before a page need not be
 * read each time.
 * @param known what pages of the same list told before; this one adds to it
 */
export async function listOrderVersions(
  db: Db,
  filter: OrderFilter,
  sort: Sort<SortColumn>,
  page: PageRequest,
  known: KnownList = unknownList(),
): Promise<PageOf<OrderVersion>> {
  const place = page.page * page.size
  const matching = db.selectFrom('orders').where((eb) => matchOrders(eb, filter))
  const mark = markBefore(known, place)
  const from = mark === undefined ? matching : matching.where(beginsAt(sort, mark))
  const steady = isSteady(filter, sort)
  // Kept from the planner, who would make a plan for each page.
  const bound = (rows: number) => (steady ? sql<number>`(select ${rows}::bigint)` : sql<number>`${rows}`)
  const ids = sorted(from.select('id'), sort)
    .limit(bound(page.size))
    .offset(bound(place - (mark?.place ?? 0)))
  const order = sort.columns.map((column) => `${column} ${sort.descending ? 'desc' : 'asc'}`)
  const query = sql<OrderVersion & { sorted_by: string }>`
    select id, version, concat_ws(',', ${sql.raw(sort.columns.join(', '))}) as sorted_by
    from orders where id = any(array(${ids})) order by ${sql.raw(order.join(', '))}`
  const rows = steady ? await prepared(db, query) : (await query.execute(db)).rows
  if (rows[0]) addMark(known, { place, values: rows[0].sorted_by.split(',') })
  const count = () => matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { rows, total: await totalOf(rows.length, page, known, async () => (await count()).total) }
}

const ordersByIds = statement<{ ids: number[] }, { listed: OrderValues }>(
  (value) => sql`
    select json_build_array(${asJson(LISTED)}, (
      select coalesce(json_agg(json_build_array(${asJson(LISTED_OF_ITEM)}) order by id), '[]')
      from order_items where order_id = orders.id
    )) as listed
    from orders where id = ${anyOf(value('ids'))}`,
)

/** These orders in no order, with their lines, each line in the order in which it was added. */
export async function findOrdersWithItems(db: Db, ids: number[]): Promise<OrderWithItems[]> {
  const rows = await ordersByIds(db, { ids })
  return rows.map(({ listed }) => toRow(listed))
}

/** Columns for JSON; money goes as text, since a number would be a binary float. */
function asJson(names: readonly string[]) {
  return sql.raw(names.map((name) => (MONEY.includes(name) ? `${name}::text` : name)).join(', '))
}

function toRow(values: OrderValues): OrderWithItems {
  const [id, number, status, customer_name, customer_phone, customer_email, ...more] = values
  const [delivery_method, delivery_address, comment, user_id, external_id, ...staffs] = more
  const [admin_comment, delivery_cost, submit_error, version, created_at, updated_at, items] = staffs
  return {
    id,
    number,
    status,
    customer_name,
    customer_phone,
    customer_email,
    delivery_method,
    delivery_address,
    comment,
    user_id,
    external_id,
    admin_comment,
    delivery_cost,
    submit_error,
    version,
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
    items: items.map(toItemRow),
  }
}

function toItemRow([
  id,
  product_id,
  product_name,
  price_at_order,
  quantity,
  line_total,
]: ItemValues): ListedItem {
  return { id, product_id, product_name, price_at_order, quantity, line_total }
}

/** The rows from the known one on. */
function beginsAt({ columns, descending }: Sort<SortColumn>, { values }: Mark): Expression<SqlBool> {
  const row = sql.join(columns.map((column) => sql.ref(column)))
  const known = sql.join(columns.map((column, n) => sql`${values[n]}::${sql.raw(TYPES[column])}`))
  return sql<SqlBool>`(${row}) ${sql.raw(descending ? '<=' : '>=')} (${known})`
}

/** Whether an index has the rows in their order whatever the values are: the best plan is then always the same. */
function isSteady(
  { userId, status, from, until, searchTexts = [] }: OrderFilter,
  sort: Sort<SortColumn>,
): boolean {
  const narrowed = [userId, from, until].some((one) => one !== undefined) || searchTexts.length > 0
  return !narrowed && (status === undefined || sort.columns[0] !== 'id')
}
