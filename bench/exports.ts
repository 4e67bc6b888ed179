import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import { sql } from 'kysely'
import { migrate } from '../db/migrate.ts'
import { createBrand, createCategory, createManyProducts } from '../test/support/factories.ts'
import { startTemporaryPostgres } from '../test/support/temporary-postgres.ts'
import { residentMb } from './processes.ts'
import { login, openBenchDatabase, startShopProcess } from './shop-process.ts'
import { median, printTable } from './table.ts'

/**
 * Measures seconds and memory of exports, and staff's orders by total, with so many orders, contact requests and products.
 * What an export needs is how far the lowest heap rises, right after a collection of garbage: the rest is left by V8.
 */
const RECORDS = Number(process.env.BENCH_RECORDS ?? 100_000)
const LINES = 3
const SAMPLE_MS = 250
const METRICS_TOKEN = 'bench-metrics-token-of-forty-characters'
const LIST_BUDGET_MS = 50

const postgres = await startTemporaryPostgres()
try {
  await migrate(postgres.url)
  await fill()
  const environment = {
    DATA_DIR: postgres.folder,
    SUPPLIER_BASE_URL: 'http://127.0.0.1:9',
    METRICS_TOKEN,
  }
  const shop = await startShopProcess(postgres.url, environment)
  try {
    const authorization = `Bearer ${await login(shop.url)}`
    const get = async (path: string) => {
      const response = await fetch(`${shop.url}/api/v1/admin/${path}`, { headers: { authorization } })
      if (!response.ok || response.body === null) throw new Error(`${path}: ${response.status}`)
      return response.body
    }
    // Facets wait until the search index has loaded.
    await (await fetch(`${shop.url}/api/v1/products/facets`)).arrayBuffer()
    // What the first requests load and compile isn't what an export takes.
    for (const name of ['products', 'contacts', 'orders']) await measure(`${name}/export?search=99999`)

    const rows = []
    for (const name of ['contacts', 'products', 'orders']) rows.push(await measure(`${name}/export`))
    printTable(`Exports of ${RECORDS} records`, rows)

    const times: number[] = []
    for (let page = 0; page < 20; page++) {
      const began = performance.now()
      await new Response(await get(`orders?sort=total,desc&page=${page}`)).text()
      times.push(performance.now() - began)
    }
    const ms = median(times)
    const met = ms <= LIST_BUDGET_MS ? 'yes' : 'no'
    printTable("Staff's orders by total, a page", [{ 'median ms': ms, budget: `≤ ${LIST_BUDGET_MS}`, met }])

    async function measure(path: string) {
      const before = { heap: await heapMb(shop.url), resident: await residentMb(shop.pid) }
      const heaps: number[] = []
      let highest = before.resident
      const sampling = setInterval(async () => {
        heaps.push(await heapMb(shop.url))
        highest = Math.max(highest, await residentMb(shop.pid))
      }, SAMPLE_MS)
      const began = performance.now()
      let bytes = 0
      let lines = 0
      const parser = parse({ delimiter: ';', bom: true, columns: true })
      parser.on('data', () => {
        lines += 1
      })
      const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          bytes += chunk.length
          yield chunk
        }
      }
      await pipeline(await get(path), counted, parser)
      const seconds = (performance.now() - began) / 1000
      clearInterval(sampling)
      return {
        export: path.split('/')[0] ?? '',
        lines,
        MB: bytes / 1024 ** 2,
        seconds,
        'heap before, MB': before.heap,
        'lowest during': Math.min(...heaps, before.heap),
        'highest during': Math.max(...heaps, before.heap),
        'resident more, MB': highest - before.resident,
      }
    }
  } finally {
    await shop.stop()
  }
} finally {
  await postgres.stop()
}

/** The heap in use, with the garbage in it. */
async function heapMb(url: string): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  const bytes = /^nodejs_heap_size_used_bytes (.*)$/m.exec(await response.text())?.[1]
  return Number(bytes) / 1024 ** 2
}

async function fill(): Promise<void> {
  const { db, close } = openBenchDatabase(postgres.url)
  await createManyProducts(db, RECORDS, [await createCategory(db)], [await createBrand(db)])
  await sql`
    insert into orders (customer_name, customer_phone, customer_email, delivery_address, comment, items_total, created_at)
    select 'Покупатель ' || md5(n::text), '+7 9' || lpad((n * 7919 % 1000000000)::text, 9, '0'),
      md5(n::text) || '@example.test', 'Москва; ул. "Новая", д. ' || n, '=1+' || n || E'\n' || repeat('текст ', 10),
      ${LINES} * (n % 1000), now() - n * interval '1 minute'
    from generate_series(1, ${RECORDS}::int) n`.execute(db)
  await sql`
    insert into order_items (order_id, product_id, product_name, price_at_order, quantity, holding)
    select o.id, 1 + (o.id * 31 + n) % ${RECORDS}::int, 'Дрель "Вектор"; ' || n, o.items_total / ${LINES}::int, 1, false
    from orders o, generate_series(1, ${LINES}::int) n order by o.id, n`.execute(db)
  await sql`
    insert into contact_requests (name, phone, message)
    select 'Анна ' || n, '+7 900 123-45-67', repeat('вопрос ', 20) from generate_series(1, ${RECORDS}::int) n`.execute(
    db,
  )
  await sql`vacuum analyze`.execute(db)
  await close()
}
