import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createTestDatabase } from './support/database.ts'
import { PROCESS_TIMEOUT_MS, startServing } from './support/serving-process.ts'

const PRODUCTS = 30

/** Writes a catalogue for the demo supplier. */
async function writeCatalogue(folder: string): Promise<void> {
  const products = Array.from({ length: PRODUCTS }, (_, n) => ({ externalId: `p${n}`, name: `Дрель ${n}`, price: 100 }))
  const lists = { categories: [], brands: [], products }
  for (const [name, rows] of Object.entries(lists)) {
    const text = rows.map((row) => JSON.stringify(row)).join('\n')
    await writeFile(join(folder, `${name}.ndjson.gz`), gzipSync(text))
  }
}

test('the first images of a demo shop are fetched by one run of the job', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shop-catalogue-'))
  const database = await createTestDatabase()
  await writeCatalogue(folder)
  const shop = await startServing(database.url, {
    environment: {
      SUPPLIER_BASE_URL: undefined,
      JOBS_ENABLED: 'true',
      DEMO_CATALOGUE: folder,
      DEMO_CHANGES_PER_MINUTE: '0',
      GBSTORE_SCRAPING_JOB_DELAY_MS: '100',
    },
  })
  try {
    const runs = () =>
      shop
        .output()
        .split('\n')
        .filter((line) => line.includes('"scraping finished"'))
        .map((line) => JSON.parse(line))
    const done = () => runs().reduce((sum, run) => sum + run.done, 0)
    await expect.poll(done, { timeout: PROCESS_TIMEOUT_MS }).toBe(PRODUCTS)
    expect(runs()).toMatchObject([{ done: PRODUCTS }])
  } finally {
    await shop.remove()
    await database.drop()
    await rm(folder, { recursive: true })
  }
})
