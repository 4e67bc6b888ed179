import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startInProcess } from '../../demo/in-process.ts'
import type { DemoSupplier } from '../../demo/supplier.ts'

let dataDir: string
let running: DemoSupplier | undefined

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'demo-'))
})
afterEach(async () => {
  await running?.close()
  await rm(dataDir, { recursive: true, force: true })
})

async function restart(): Promise<DemoSupplier> {
  await running?.close()
  running = await startInProcess({
    dataDir,
    demo: { catalogue: undefined, changesPerMinute: 0 },
    supplier: { token: 't', username: '', password: '', authType: 'TOKEN', timeZone: 'UTC' },
  })
  return running
}

async function firstPageUrl({ url }: DemoSupplier): Promise<unknown> {
  const response = await fetch(`${url}/ListProducts?page=1&limit=1`, { headers: { token: 't' } })
  const body: unknown = await response.json()
  return Reflect.get(Object(body), 'items')?.[0]?.url
}

test('keeps the URLs of product pages across a restart', async () => {
  const before = await firstPageUrl(await restart())
  expect(before).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/p\//)
  for (let times = 0; times < 3; times += 1) expect(await firstPageUrl(await restart())).toBe(before)
})

test('takes another port when the last one is in use, and keeps that', async () => {
  const { siteUrl } = await restart()
  await running?.close()
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(Number(new URL(siteUrl).port), '127.0.0.1', resolve))
  const elsewhere = await restart()
  expect(elsewhere.siteUrl).not.toBe(siteUrl)
  await new Promise((resolve) => other.close(resolve))
  expect((await restart()).siteUrl).toBe(elsewhere.siteUrl)
})

test.each(['', 'eighty', '99999', '-1', '3.5'])('ignores %j as the last port', async (note) => {
  await writeFile(join(dataDir, 'demo-supplier-port'), note)
  expect((await restart()).siteUrl).toMatch(/:\d+$/)
})
