import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { recordCheck } from '../../../db/queries/published/publications.ts'
import type { Deps } from '../../../src/deps.ts'
import { formatTime } from '../../../src/rules/mail/render.ts'
import { ALERTS } from '../../../src/rules/operations/alerts.ts'
import type { SettingKey } from '../../../src/rules/settings/keys.ts'
import { checkAlerts } from '../../../src/services/operations/alerts.ts'
import { purge } from '../../../src/services/operations/jobs.ts'
import { loginAs } from '../../support/accounts.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let token: string

beforeAll(async () => {
  shop = await startTestShop()
  token = await loginAs(shop, 'ADMIN')
  // Nothing is synchronised here.
  await set('job_sync_enabled', 'false')
})
beforeEach(async () => {
  await shop.deps.db.deleteFrom('alerts').execute()
  await shop.deps.db.deleteFrom('mails').execute()
  await set('alert_email', '')
  await set('notification_email', 'boss@example.test')
  await refuseFeed(null)
})
afterAll(() => shop.close())

async function set(key: SettingKey, value: string): Promise<void> {
  const answer = await shop.call('PUT', `/api/v1/admin/config/${key}`, { token, body: { value } })
  expect(answer.status).toBe(200)
}

/** What the check of the last built feed said is a condition that is quick to change. */
const refuseFeed = (reason: string | null) => recordCheck(shop.deps.db, 'feed', reason, new Date())

const START = Date.now()
const at = (minute: number): Date => new Date(START + minute * 60_000)
const check = (minute: number, deps: Deps = shop.deps) => checkAlerts({ ...deps, now: () => at(minute) })

type AlertJson = { name: string; beganAt: string; endedAt: string | null; [field: string]: unknown }
const list = async () => Object((await shop.call('GET', '/api/v1/admin/alerts', { token })).body) as AlertJson[]
const mails = () => shop.deps.db.selectFrom('mails').selectAll().orderBy('id').execute()
const recipients = async () => (await mails()).map(({ recipient }) => recipient)

test('mails what is wrong, since when and what to do, and mails once that it is over', async () => {
  await refuseFeed('No offers are left')
  await check(0)
  await check(1)
  await refuseFeed(null)
  await check(2)
  await check(7)
  await check(60)
  const [begin, end, ...more] = await mails()
  expect(more).toEqual([])
  expect(begin?.subject).toBe('Shop: внимание — новый фид не прошёл проверку и не опубликован (FeedRefused)')
  expect(begin?.body).toMatch(/Началось: .* 20\d\d г\. в .* UTC\nПодробности: feed: No offers are left\n/)
  expect(begin?.body).toContain('Что делать: docs/alerts.md, FeedRefused')
  expect(end?.subject).toBe('Shop: прошло — новый фид не прошёл проверку и не опубликован (FeedRefused)')
  const ended = formatTime(at(2), { language: 'ru', timeZone: 'UTC' })
  expect(end?.body).toContain(`Закончилось: ${ended}`)
})

test("says what an alert means in the caller's language", async () => {
  await refuseFeed('No offers are left')
  await check(0)
  for (const language of ['en', 'ru'] as const) {
    const headers = { 'accept-language': language }
    const { body } = await shop.call('GET', '/api/v1/admin/alerts', { token, headers })
    expect(body).toMatchObject([{ summary: ALERTS.FeedRefused[language] }])
  }
})

test('lists open alerts before past ones, with what the last check found', async () => {
  await refuseFeed('First')
  await check(0)
  await refuseFeed(null)
  await check(1)
  await check(7)
  await refuseFeed('Second')
  await check(8)
  await refuseFeed('Third')
  await check(9)
  const common = { id: expect.any(Number), name: 'FeedRefused', summary: expect.any(String) }
  expect(await list()).toEqual([
    { ...common, details: 'feed: Third', beganAt: at(8).toISOString(), endedAt: null },
    { ...common, details: 'feed: First', beganAt: at(0).toISOString(), endedAt: at(1).toISOString() },
  ])
})

test('is over only when it was absent for five minutes', async () => {
  await refuseFeed('No')
  await check(0)
  for (const minute of [1, 6, 11]) {
    await refuseFeed(null)
    await check(minute)
    await check(minute + 4)
    await refuseFeed('No')
    await check(minute + 4.5)
  }
  expect([(await mails()).length, (await list()).length]).toEqual([1, 1])
})

test('a condition that comes and goes sends at most two mails an hour', async () => {
  for (let minute = 0; minute < 120; minute += 10) {
    await refuseFeed('No')
    await check(minute)
    await refuseFeed(null)
    await check(minute + 1)
    await check(minute + 8)
  }
  expect((await mails()).length).toBeLessThanOrEqual(4)
  await check(240)
  expect(await list()).not.toContainEqual(expect.objectContaining({ endedAt: null }))
})

test('three instances that check at once send one mail at the beginning and one at the end', async () => {
  const instances = [shop]
  for (let n = 0; n < 2; n++) {
    instances.push(await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl }))
  }
  const checkAtOnce = async (minute: number) => {
    const lock = (trx: Deps['db']) => sql`lock table alerts in exclusive mode`.execute(trx)
    const checks = await whileLocked(shop.deps.db, lock, async () => {
      const started = instances.map(({ deps }) => check(minute, deps))
      await untilWaiting(shop.deps.db, instances.length)
      return { started }
    })
    await Promise.all(checks.started)
  }
  try {
    await refuseFeed('No')
    await checkAtOnce(0)
    expect([(await mails()).length, (await list()).length]).toEqual([1, 1])
    await refuseFeed(null)
    await checkAtOnce(1)
    await checkAtOnce(6)
    expect([(await mails()).length, (await list()).length]).toEqual([2, 1])
  } finally {
    for (const instance of instances.slice(1)) await instance.close()
  }
})

test('a crash between alert and mail leaves neither, and the next check makes up for it', async () => {
  const { db } = shop.deps
  const kill = sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  const lock = (trx: Deps['db']) => sql`lock table mails in exclusive mode`.execute(trx)
  await refuseFeed('No')
  await whileLocked(db, lock, async () => {
    const dying = check(0)
    const outcome = expect(dying).rejects.toThrow()
    await untilWaiting(db)
    await kill.execute(db)
    await outcome
  })
  expect([await mails(), await list()]).toEqual([[], []])
  await check(1)
  expect([(await mails()).length, (await list()).length]).toEqual([1, 1])
})

test('a commit that fails leaves neither alert nor mail', async () => {
  const { db } = shop.deps
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'disk full'; end $$`.execute(db)
  await sql`create constraint trigger refuse after insert on alerts
    deferrable initially deferred for each row execute function refuse()`.execute(db)
  await refuseFeed('No')
  try {
    await expect(check(0)).rejects.toThrow('disk full')
  } finally {
    await sql`drop function refuse cascade`.execute(db)
  }
  expect([await mails(), await list()]).toEqual([[], []])
})

test('mails every address of alert_email, and without one only lists and logs', async () => {
  await set('alert_email', 'one@example.test, two@example.test')
  await refuseFeed('No')
  await check(0)
  expect(await recipients()).toEqual(['one@example.test', 'two@example.test'])
  await set('alert_email', '')
  await set('notification_email', '')
  await refuseFeed(null)
  const info = vi.spyOn(shop.deps.log, 'info')
  await check(1)
  await check(6)
  expect(await mails()).toHaveLength(2)
  expect(info).toHaveBeenCalledWith(expect.objectContaining({ alert: 'FeedRefused' }), 'alert ended')
  info.mockRestore()
  expect(await list()).toMatchObject([{ endedAt: at(1).toISOString() }])
})

test.each(['one@example.test,', 'nobody', 'a@b.test;c@d.test', Array(11).fill('a@b.test').join()])(
  'alert_email cannot be %s',
  async (value) => {
    const answer = await shop.call('PUT', '/api/v1/admin/config/alert_email', { token, body: { value } })
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('separated by commas')])
  },
)

test('alerts that have been over for 90 days are deleted', async () => {
  await refuseFeed('No')
  await check(0)
  await refuseFeed(null)
  await check(1)
  await check(6)
  const purgeAfter = async (days: number) => {
    const ended = sql<Date>`now() - ${days}::int * interval '1 day'`
    await shop.deps.db.updateTable('alerts').set({ ended_at: ended }).execute()
    await purge(shop.deps)
  }
  await purgeAfter(89)
  expect(await list()).toHaveLength(1)
  await purgeAfter(91)
  expect(await list()).toEqual([])
})
