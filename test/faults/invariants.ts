import { sql } from 'kysely'
import type { Finding } from './patience.ts'
import type { World } from './world.ts'

const OVERSOLD = 'products with more reserved than there is'

/** What is wrong whatever happened before, in plain SQL: kind, text, and the number of rows. */
const INVARIANTS: [kind: Finding['kind'], what: string, query: string][] = [
  [
    'lost',
    'orders without a mail',
    `select from orders o where not exists (select from mails where subject = 'Новый заказ № ' || o.number)`,
  ],
  [
    'doubled',
    'mails of one order',
    `select subject from mails where subject like 'Новый заказ%' group by recipient, subject having count(*) > 1`,
  ],
  [
    'lost',
    'orders without lines',
    `select from orders where id not in (select order_id from order_items where order_id is not null)`,
  ],
  [
    'wrong',
    'totals other than the sum of the lines',
    `select from orders where items_total <> (select sum(line_total) from order_items where order_id = orders.id)`,
  ],
  [
    'wrong',
    'open orders that hold no goods',
    `select from order_items join orders on orders.id = order_id where orders.status in ('NEW', 'PROCESSING', 'ERROR') and not holding`,
  ],
  [
    'wrong',
    OVERSOLD,
    `select from products where stock < (select sum(quantity) from order_items where product_id = products.id and holding)`,
  ],
  ['doubled', 'images with equal bytes', `select sha256 from images group by sha256 having count(*) > 1`],
  [
    'doubled',
    'active scrape tasks of one product',
    `select product_id from gbstore_scrape_queue where status in ('PENDING', 'IN_PROGRESS') group by product_id having count(*) > 1`,
  ],
  ['stuck', 'sync runs RUNNING', `select from sync_runs where status = 'RUNNING'`],
  ['stuck', 'pipeline runs RUNNING', `select from xml_pipeline_runs where status = 'RUNNING'`],
  ['stuck', 'pipeline stages RUNNING', `select from xml_pipeline_stages where status = 'RUNNING'`],
  [
    'stuck',
    'idle transactions',
    `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction' and state_change < now() - interval '5 seconds'`,
  ],
]

/**
 * Invariants that hold whenever no request and no run is in progress.
 * @param stockFalls the supplier's stock may have fallen below what is reserved
 */
export async function commonInvariants({ db }: World, { stockFalls = false } = {}): Promise<Finding[]> {
  const found: Finding[] = []
  for (const [kind, what, query] of INVARIANTS) {
    if (stockFalls && what === OVERSOLD) continue
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from (${sql.raw(query)}) as broken`.execute(db)
    const count = rows[0]?.count ?? 0
    if (count > 0) found.push({ kind, what: `${count} ${what}` })
  }
  return found
}
