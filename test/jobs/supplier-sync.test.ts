import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateCatalogue } from '../../demo/generate.ts'
import { supplierSyncJob } from '../../jobs/supplier-sync.ts'
import { whileLocked } from '../support/locks.ts'
import { type SupplierShop, startSupplierShop } from '../support/supplier-shop.ts'

let world: SupplierShop

beforeAll(async () => {
  world = await startSupplierShop({}, generateCatalogue({ products: 20, seed: 1 }))
})
afterAll(() => world.close())

test('the flag job_sync_enabled counts at each tick, without a restart', async () => {
  const { deps } = world.shop
  const job = supplierSyncJob(deps)
  const set = (value: string) =>
    deps.db.updateTable('app_config').set({ value }).where('key', '=', 'job_sync_enabled').execute()
  expect(await job.enabled()).toBe(true)
  await set('false')
  expect(await job.enabled()).toBe(false)
  await set('true')
  expect(await job.enabled()).toBe(true)
})

test('a scheduled run is recorded as such, and one that finds another under way lets it be', async () => {
  const { deps } = world.shop
  const job = supplierSyncJob(deps)
  await job.run()
  const runs = () =>
    deps.db.selectFrom('sync_runs').select(['trigger', 'status']).orderBy('id', 'desc').execute()
  expect((await runs())[0]).toEqual({ trigger: 'CRON', status: 'SUCCEEDED' })
  const lock = sql`lock table categories in exclusive mode`
  const { finished } = await whileLocked(
    deps.db,
    (trx) => lock.execute(trx),
    async () => {
      const underWay = await deps.sync.start('MANUAL')
      await job.run()
      return underWay
    },
  )
  await finished
  expect((await runs()).map((run) => run.trigger)).toEqual(['MANUAL', 'CRON'])
})
