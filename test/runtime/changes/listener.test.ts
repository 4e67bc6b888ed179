import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { CHANGES_CHANNEL } from '../../../db/queries/events/changes.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

const notify = (payload: string) => sql`select pg_notify(${CHANGES_CHANNEL}, ${payload})`.execute(shop.deps.db)

/** The name of the shop as the settings' cache has it. */
async function siteName(): Promise<string> {
  const { text } = await shop.call('GET', '/api/v1/config/site_name')
  return JSON.parse(text).value
}

async function rename(value: string): Promise<void> {
  await shop.deps.db.updateTable('app_config').set({ value }).where('key', '=', 'site_name').execute()
}

test('a change of a kind that only a newer version knows invalidates nothing', async () => {
  const before = await siteName()
  await rename('renamed')
  const received = vi.fn()
  shop.deps.changes.subscribe(received)
  // Sent again: on a busy machine the listener may be reconnecting.
  await expect
    .poll(async () => {
      await notify(JSON.stringify({ from: 'newer', changes: [{ kind: 'planet', ids: [1] }] }))
      return received.mock.calls.length
    })
    .toBeGreaterThan(0)
  expect(await siteName()).toBe(before)
})

test('a message that cannot be read empties the caches', async () => {
  const before = await siteName()
  await rename('renamed again')
  expect(await siteName()).toBe(before)
  await notify('catalogue')
  await expect.poll(siteName).toBe('renamed again')
  // Changes are received again.
  await rename('renamed once more')
  await notify(JSON.stringify({ from: 'other', changes: [{ kind: 'setting', ids: null }] }))
  await expect.poll(siteName).toBe('renamed once more')
})
