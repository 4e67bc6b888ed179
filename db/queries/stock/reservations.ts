import { type Expression, expressionBuilder, sql } from 'kysely'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import type { Db, Tables, Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import { anyOf, type Params, prepare, prepared } from '../../prepared.ts'

// Built once: the same in every statement that reads `products`.
const eb = expressionBuilder<Tables, 'products'>()

const reserved = eb
  .selectFrom('order_items as reserved')
  .select(({ fn }) => fn.sum<number>('reserved.quantity').as('quantity'))
  .whereRef('reserved.product_id', '=', 'products.id')
  .where('reserved.holding', '=', eb.lit(true))

/** Stock minus reservations, negative after backorders (docs/orders.md). For statements that read `products`. */
export const availableQuantity = eb.parens('products.stock', '-', eb.fn.coalesce(reserved, eb.lit(0)))

const mainImage = jsonObjectFrom(
  eb
    .selectFrom('product_images')
    .innerJoin('images', 'images.id', 'product_images.image_id')
    .select(['images.id', 'images.sha256'])
    .whereRef('product_images.product_id', '=', 'products.id')
    .orderBy('display_order')
    .orderBy('image_id')
    .limit(eb.lit(1)),
)

const lockProducts = prepare((db, { ids }: Params<{ ids: number[] }>) => {
  const wanted = sql<{ id: number }>`unnest(${ids}::int[])`.as<'wanted'>(sql`wanted (id)`)
  return db
    .selectFrom(db.selectFrom(wanted).select('id').distinct().orderBy('id').as('ordered'))
    .select(({ fn, lit }) => fn('pg_advisory_xact_lock', [lit(LOCKS.product), 'ordered.id']).as('lock'))
})

/** Locks the quantities of products until the transaction ends. Advisory locks, unlike those of rows, don't block the sync. */
export async function lockQuantities(trx: Trx, productIds: number[]): Promise<void> {
  await lockProducts(trx, { ids: productIds })
}

function offers(db: Db, { ids }: Params<{ ids: number[] }>) {
  return db
    .selectFrom('products')
    .select(['id', 'external_id', 'name', 'slug', 'active', 'final_price'])
    .select(availableQuantity.as('available_quantity'))
    .where('id', '=', anyOf(ids))
}

const selectOffers = prepare(offers)

/** What orders need of products, by id. */
export async function findOffers(db: Db, productIds: number[]) {
  const rows = await selectOffers(db, { ids: productIds })
  return new Map(rows.map((row) => [row.id, row]))
}

const selectShownOffers = prepare((db, params: Params<{ ids: number[] }>) =>
  offers(db, params).select(mainImage.as('image')),
)

export type ShownOfferRow = Awaited<ReturnType<typeof findShownOffers>> extends Map<number, infer Row> ? Row : never

/** What carts and suggestions show of products, by id. `image`: the main one. */
export async function findShownOffers(db: Db, productIds: number[]) {
  const rows = await selectShownOffers(db, { ids: productIds })
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Reads offers, and locks their quantities until the transaction ends. Lock the order first and its items last, as
 * all transactions do.
 */
export async function lockOffers(trx: Trx, productIds: number[]) {
  await lockQuantities(trx, productIds)
  return findOffers(trx, productIds)
}

/** The database's clock, which all instances share: it decides whether stock was read before or after an order was sent. */
export async function databaseTime(db: Db) {
  const { time } = await db.selectNoFrom(sql<Date>`clock_timestamp()`.as('time')).executeTakeFirstOrThrow()
  return time
}

/**
 * Reserves or releases the lines of these orders.
 * @param options.manual only those of products that aren't the supplier's, which no sync would release
 * @returns the products of the lines that changed
 */
export async function setReserved(trx: Trx, orderIds: number[], reserved: boolean, { manual = false } = {}) {
  const rows = await trx
    .updateTable('order_items')
    .set({ holding: reserved })
    .where('order_id', '=', sql<number>`any(${orderIds}::int[])`)
    .where('holding', '!=', reserved)
    .$if(manual, (query) => query.where('product_external_id', 'is', null))
    .returning('product_id')
    .execute()
  return rows.flatMap(({ product_id }) => product_id ?? [])
}

/**
 * Keeps reserved what orders that the supplier may have received are about to lose, in lines without an order, until the
 * supplier's stock is read (docs/orders.md).
 * @param remaining what remains of each line's quantity
 */
export async function keepSentReserved(trx: Trx, itemIds: number[], remaining = 0): Promise<void> {
  const copied = ['product_id', 'product_external_id', 'product_name', 'price_at_order'] as const
  await trx
    .insertInto('order_items')
    .columns([...copied, 'quantity', 'sent_at'])
    .expression(
      trx
        .selectFrom('order_items as line')
        .innerJoin('orders', 'orders.id', 'line.order_id')
        .select((line) => [...copied, line('line.quantity', '-', remaining).as('quantity'), 'orders.sent_at'])
        .where('line.id', '=', sql<number>`any(${itemIds}::int[])`)
        .where('line.quantity', '>', remaining)
        .where('orders.sent_at', 'is not', null)
        .where('line.holding', '=', true)
        .where('line.product_id', 'is not', null)
        .where('line.product_external_id', 'is not', null),
    )
    .execute()
}

/**
 * Locks orders with reservations that have been NEW for these hours, skipping orders that the supplier may have received and
 * those locked by someone else.
 * @param hold.hours since the order was placed, or last touched by staff; 0: for ever
 * @param hold.unconfirmed the same of an anonymous customer's order that staff never touched
 */
export async function lockStaleOrders(trx: Trx, { hours, unconfirmed }: { hours: number; unconfirmed: number }) {
  const since = (hours: number) =>
    sql<Date>`case when ${hours}::int > 0 then now() - ${hours}::int * interval '1 hour' end`
  const rows = await trx
    .selectFrom('orders')
    .select('orders.id')
    .where('orders.status', '=', 'NEW')
    .where('orders.sent_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('order_items')
          .whereRef('order_items.order_id', '=', 'orders.id')
          .where('order_items.holding', '=', true),
      ),
    )
    .where(({ and, eb, exists, not, or, selectFrom }) => {
      const history = selectFrom('order_history').whereRef('order_history.order_id', '=', 'orders.id')
      const isTouched = history.where('from_status', 'is not', null)
      const isNamed = history.where((entry) =>
        entry.or([entry('from_status', 'is not', null), entry('user_name', 'is not', null)]),
      )
      return or([
        and([
          eb('orders.created_at', '<', since(hours)),
          exists(isNamed),
          not(exists(isTouched.where('changed_at', '>=', since(hours)))),
        ]),
        and([eb('orders.created_at', '<', since(unconfirmed)), not(exists(isNamed))]),
      ])
    })
    .orderBy('orders.id')
    .forNoKeyUpdate()
    .skipLocked()
    .execute()
  return rows.map(({ id }) => id)
}

/** Open orders stay reserved whatever the supplier's stock is. A time in the future was set by a wrong clock. */
const sentBefore = (time: Date) => sql<boolean>`
  orders.status not in ('NEW', 'PROCESSING', 'ERROR') and orders.sent_at not between ${time} and clock_timestamp()`

/**
 * Releases these products' lines that were sent before the supplier's stock was read, since that stock accounts for
 * them (docs/orders.md). Locked orders are left for the next run.
 * @returns the products of the released lines, but for deleted ones
 */
export function releaseListed(trx: Trx, externalIds: string[], askedAt: Date) {
  const lines = trx
    .selectFrom('products')
    .innerJoin('order_items', 'order_items.product_id', 'products.id')
    .select(['order_items.id', 'order_items.order_id'])
    .where('order_items.holding', '=', eb.lit(true))
    .where('products.external_id', '=', sql<string>`any(${externalIds}::text[])`)
  return release(trx, lines, askedAt)
}

/**
 * Does the same at the end of a complete full load for products that it did not list. Excluded are products whose
 * record the run skipped, as their stock is unknown, and products of the shop itself while their order is SENT.
 * @param askedAt when the run requested its first page
 */
export function releaseUnlisted(trx: Trx, runId: number, askedAt: Date) {
  const lines = trx
    .selectFrom('order_items')
    .leftJoin('orders', 'orders.id', 'order_items.order_id')
    .select(['order_items.id', 'order_items.order_id'])
    .where('order_items.holding', '=', eb.lit(true))
    .where((line) => line.or([line('order_items.order_id', 'is', null), sentBefore(askedAt)]))
    .where((line) =>
      line.or([line('order_items.product_external_id', 'is not', null), line('orders.status', '!=', 'SENT')]),
    )
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('sync_skipped_records')
            .where('run_id', '=', runId)
            .where('sync_type', '=', 'PRODUCTS')
            .whereRef('external_id', '=', 'order_items.product_external_id'),
        ),
      ),
    )
  return release(trx, lines, askedAt)
}

type Lines = Expression<{ id: number; order_id: number | null }>

/** Locks orders before their lines, as every change of an order does; detached lines need no lock. */
async function release(trx: Trx, lines: Lines, askedAt: Date) {
  const query = trx
    .with(
      (cte) => cte('line').materialized(),
      () => lines,
    )
    .with(
      (cte) => cte('free').materialized(),
      (cte) => {
        const ids = cte.selectFrom('line').select('order_id').where('order_id', 'is not', null)
        return cte
          .selectFrom('orders')
          .select('orders.id')
          .where('orders.id', '=', sql<number>`any(array(${ids}))`)
          .where(sentBefore(askedAt))
          .forNoKeyUpdate()
          .skipLocked()
      },
    )
    .with('detached', (cte) => {
      const ids = cte.selectFrom('line').select('id').where('order_id', 'is', null)
      return cte
        .deleteFrom('order_items')
        .where('id', '=', sql<number>`any(array(${ids}))`)
        .where(sql<boolean>`sent_at not between ${askedAt} and clock_timestamp()`)
        .returning('product_id')
    })
    .with('released', (cte) => {
      const ids = cte.selectFrom('line').innerJoin('free', 'free.id', 'line.order_id').select('line.id')
      return cte
        .updateTable('order_items')
        .set({ holding: false })
        .where('id', '=', sql<number>`any(array(${ids}))`)
        .where('holding', '=', eb.lit(true))
        .returning('product_id')
    })
    .selectFrom('detached')
    .select('product_id')
    .unionAll((select) => select.selectFrom('released').select('product_id'))
  return (await prepared(trx, query)).flatMap(({ product_id }) => product_id ?? [])
}
