import { createServer, type IncomingMessage } from 'node:http'
import { DateTime } from 'luxon'
import { emptyTables } from './database.ts'
import { cut, listen } from './loopback.ts'
import { startShopOf } from './supplier-shop.ts'

export type Asked = {
  list: 'ListCategories' | 'ListBrands' | 'ListProducts' | string
  page: number
  dateFrom: string | null
}
/** Text and bytes are sent unchanged, anything else as JSON. */
export type Answer = { status?: number; headers?: Record<string, string>; body: unknown }

/** The supplier's records in wire format; `updatedAt` is in UTC. */
type Wire = { id: string; name: string; updatedAt: string; [field: string]: unknown }

/** A supplier that responds correctly unless the test scripts its responses. */
type ScriptedSupplier = {
  url: string
  lists: { ListCategories: Wire[]; ListBrands: Wire[]; ListProducts: Wire[] }
  asked: Asked[]
  /** Ahead of our clock, so that ours counts, which has milliseconds. */
  aheadMs: number
  /** Overrides a response, possibly later; undefined: respond correctly. */
  intercept: ((asked: Asked) => Answer | undefined | Promise<Answer>) | null
  close(): Promise<void>
}

const LIMIT = 100
const FORMAT = 'dd.MM.yyyy HH:mm:ss.SSS'

/** Formats `updatedAt` or `dateFrom` as the supplier does. */
export const wireDate = (date: Date): string => DateTime.fromJSDate(date, { zone: 'UTC' }).toFormat(FORMAT)
export const readWireDate = (text: string | null | undefined): Date =>
  DateTime.fromFormat(text ?? '', FORMAT, { zone: 'UTC' }).toJSDate()

/** A valid product in wire format. */
export function wireProduct(id: string, fields: { [field: string]: unknown } = {}): Wire {
  const updatedAt = wireDate(new Date('2026-01-01T00:00:00Z'))
  return { id, name: `Product ${id}`, price: 100, stock: 5, active: true, updatedAt, ...fields }
}

/** Starts it on a free port. */
async function startScriptedSupplier(): Promise<ScriptedSupplier> {
  const server = createServer(async (request, response) => {
    const asked = read(request)
    supplier.asked.push(asked)
    const { status = 200, headers = {}, body } = (await supplier.intercept?.(asked)) ?? honest(asked)
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const date = new Date(Date.now() + supplier.aheadMs).toUTCString()
    response.writeHead(status, { 'content-type': 'application/json', date, ...headers }).end(bytes)
  })

  function honest({ list, page, dateFrom }: Asked): Answer {
    const all = Object.entries(supplier.lists).find(([name]) => name === list)?.[1] ?? []
    const since = dateFrom === null ? Number.NEGATIVE_INFINITY : readWireDate(dateFrom).getTime()
    const items = all.filter((record) => !(readWireDate(record.updatedAt).getTime() < since))
    if (list !== 'ListProducts') return { body: { items } }
    const more = items.length > page * LIMIT
    return {
      body: { items: items.slice((page - 1) * LIMIT, page * LIMIT), page, nextPage: more ? page + 1 : null },
    }
  }

  const port = await listen(server)
  const supplier: ScriptedSupplier = {
    url: `http://127.0.0.1:${port}/api`,
    lists: { ListCategories: [], ListBrands: [], ListProducts: [] },
    asked: [],
    aheadMs: 3_600_000,
    intercept: null,
    close: () => cut(server),
  }
  return supplier
}

function read({ url = '' }: IncomingMessage): Asked {
  const { pathname, searchParams } = new URL(url, 'http://supplier')
  return {
    list: pathname.replace('/api/', ''),
    page: Number(searchParams.get('page') ?? 1),
    dateFrom: searchParams.get('dateFrom'),
  }
}

export type ScriptedShop = Awaited<ReturnType<typeof startScriptedShop>>

/** Starts a shop with a scripted supplier. */
export async function startScriptedShop(
  environment: Record<string, string> = {},
  options: Parameters<typeof startShopOf>[2] = {},
) {
  const started = await startShopOf(await startScriptedSupplier(), environment, options)
  const { supplier, shop } = started
  return {
    ...started,
    /** External ids of active products. */
    async active(): Promise<string[]> {
      const rows = await shop.deps.db
        .selectFrom('products')
        .select('external_id')
        .where('active', '=', true)
        .orderBy('external_id')
        .execute()
      return rows.flatMap(({ external_id }) => external_id ?? [])
    },
    /** Resets the shop and the script. */
    async startOver(): Promise<void> {
      supplier.intercept = null
      supplier.asked = []
      await emptyTables(
        shop.deps.db,
        'products, categories, brands, slug_history, deleted_products, deleted_categories, sync_state, sync_full_loads, sync_missed',
      )
      await shop.deps.db.updateTable('app_config').set({ value: '24' }).where('key', '=', 'sync_full_hours').execute()
    },
    /** Returns the recorded requests for a list in order, and clears them. */
    takeAsked(list: Asked['list']): Asked[] {
      const taken = supplier.asked.filter((asked) => asked.list === list)
      supplier.asked = supplier.asked.filter((asked) => asked.list !== list)
      return taken
    },
  }
}
