import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

type Run = {
  types: { syncType: string; seen: number; created: number; updated: number; unchanged: number }[]
  durationMs: number
  status: string
  error: string | null
}

/** Runs one sync and returns its own duration, without the feed rebuild. */
export async function runSync(shopUrl: string, token: string): Promise<{ products: number; ms: number; run: Run }> {
  const response = await fetch(`${shopUrl}/api/v1/admin/sync/run?wait=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  const run: Run = JSON.parse(await response.text())
  if (run.status !== 'SUCCEEDED') throw new Error(`The sync did not succeed: ${run.error}`)
  return {
    products: run.types.find((type) => type.syncType === 'PRODUCTS')?.seen ?? 0,
    ms: run.durationMs,
    run,
  }
}

export async function resetSync(shopUrl: string, token: string): Promise<void> {
  await fetch(`${shopUrl}/admin/sync/reset`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
}

/** Reads all pages of the supplier, one after the other. @returns milliseconds */
export async function readWholeSupplier(supplierUrl: string, token: string): Promise<number> {
  const began = performance.now()
  for (let page: number | null = 1; page !== null; ) {
    const response: Response = await fetch(`${supplierUrl}/ListProducts?page=${page}&limit=100`, {
      headers: { token },
    })
    const body: { nextPage: number | null } = JSON.parse(await response.text())
    page = body.nextPage
  }
  return performance.now() - began
}

/** Copies the rows of a full load into empty tables with the same indexes. @returns milliseconds */
export async function copySameRows(databaseUrl: string): Promise<number> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  let ms = 0
  for (const table of ['products', 'product_attributes', 'slug_history', 'stock']) {
    const { rows } = await client.query<{ columns: string }>(
      `select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
       where table_name = $1 and table_schema = 'public' and is_generated = 'NEVER' and column_name <> $2`,
      [table, table === 'stock' ? 'id' : ''],
    )
    const columns = rows[0]?.columns ?? ''
    const data: Buffer[] = []
    const sink = new PassThrough().on('data', (chunk) => data.push(chunk))
    await pipeline(client.query(copyTo(`copy (select ${columns} from ${table}) to stdout`)), sink)
    await client.query(`create table copy_of_${table} (like ${table} including all)`)
    const began = performance.now()
    await pipeline(Readable.from(data), client.query(copyFrom(`copy copy_of_${table} (${columns}) from stdin`)))
    ms += performance.now() - began
    await client.query(`drop table copy_of_${table}`)
  }
  await client.end()
  return ms
}
