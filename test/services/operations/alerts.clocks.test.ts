import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeAlert, findConditions } from '../../../db/queries/operations/alerts.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// A success recorded while a clock was ahead must not hide failures once the clock is right.
let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

const NOW = new Date('2035-06-01T12:00:00Z')
const hours = (count: number) => new Date(NOW.getTime() + count * 3_600_000)

async function found(): Promise<string[]> {
  const conditions = await findConditions(shop.deps.db, { now: NOW, syncMinutes: 60, staff: [] })
  return conditions.map(({ name }) => name)
}

test('no sync for too long', async () => {
  const { db } = shop.deps
  const run = (at: Date) => ({ status: 'SUCCEEDED', trigger: 'CRON', started_at: at, finished_at: at }) as const
  await db
    .insertInto('sync_runs')
    .values([run(hours(-0.5)), run(hours(8760))])
    .execute()
  expect(await found()).not.toContain('SyncStale')
  await db
    .updateTable('sync_runs')
    .set({ finished_at: hours(-1) })
    .where('finished_at', '<', NOW)
    .execute()
  expect(await found()).toContain('SyncStale')
})

test('mails that fail', async () => {
  const { db } = shop.deps
  const mail = { recipient: 'a@example.test', subject: 'Hello', body: 'There', created_at: hours(-2) }
  await db
    .insertInto('mails')
    .values([
      { ...mail, status: 'SENT', sent_at: hours(8760) },
      { ...mail, last_error: 'refused' },
    ])
    .execute()
  expect(await found()).toContain('MailsFailing')
  await db
    .updateTable('mails')
    .set({ sent_at: hours(-1) })
    .where('status', '=', 'SENT')
    .execute()
  expect(await found()).not.toContain('MailsFailing')
})

test('an alert whose condition was absent while the clock was ahead ends', async () => {
  const { db } = shop.deps
  const alert = {
    name: 'SyncStale',
    details: '',
    began_at: hours(8759),
    absent_since: hours(8760),
    ended_at: null,
  } as const
  await db.insertInto('alerts').values(alert).execute()
  const close = (now: Date) => db.transaction().execute((trx) => closeAlert(trx, 'SyncStale', now))
  expect(await close(NOW)).toBeUndefined()
  expect(await close(hours(1))).toMatchObject({ ended_at: NOW })
})
