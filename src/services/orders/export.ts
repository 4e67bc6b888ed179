import { listItems } from '../../../db/queries/orders/items.ts'
import { listOrderIds } from '../../../db/queries/orders/lists.ts'
import { findRecords } from '../../../db/queries/records.ts'
import type { Deps } from '../../deps.ts'
import type { OrderExportQuery } from '../../schemas/orders.ts'
import { type CsvFile, exportCsv, inOrder } from '../exports.ts'
import { toOrder } from './json.ts'
import { readOrderQuery } from './orders.ts'

const ORDER_FIELDS = [
  'id',
  'number',
  'status',
  'createdAt',
  'updatedAt',
  'customerName',
  'customerPhone',
  'customerEmail',
  'deliveryMethod',
  'deliveryAddress',
  'comment',
  'userId',
  'externalId',
  'adminComment',
  'submitError',
  'deliveryCost',
  'itemsTotal',
  'total',
] as const
const ITEM_FIELDS = ['productId', 'productName', 'priceAtOrder', 'quantity', 'lineTotal'] as const

/** Exports the orders of staff's list, with a line for each item. @throws AppError 400; 503 */
export function exportOrders(deps: Deps, { delimiter, ...query }: OrderExportQuery): Promise<CsvFile> {
  const { db } = deps
  const { filter, sort } = readOrderQuery(deps, query)
  const source = {
    name: 'orders',
    header: [...ORDER_FIELDS, 'itemId', ...ITEM_FIELDS],
    listIds: () => listOrderIds(db, filter, sort),
    async readLines(ids: number[]) {
      const rows = inOrder(ids, await findRecords(db, 'orders', ids))
      const items = Map.groupBy(await listItems(db, ids), ({ order_id }) => order_id)
      return rows.flatMap((row) => {
        const order = toOrder(row, items.get(row.id) ?? [], true)
        const cells = ORDER_FIELDS.map((field) => order[field])
        return order.items.map((item) => [...cells, item.id, ...ITEM_FIELDS.map((field) => item[field])])
      })
    },
  }
  return exportCsv(deps, source, delimiter)
}
