import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { enqueueMail } from '../../../db/queries/mail/outbox.ts'
import type { AlertName } from '../../../src/rules/operations/alerts.ts'
import type { SettingKey } from '../../../src/rules/settings/keys.ts'
import { deliverDueMails } from '../../../src/services/mail/mail.ts'
import { checkAlerts } from '../../../src/services/operations/alerts.ts'
import { retryPipeline, startPipeline } from '../../../src/services/pipeline/runs.ts'
import { rebuild } from '../../../src/services/published/publishing.ts'
import { loginAs } from '../../support/accounts.ts'
import { type FeedServer, feedXml, startFeedServer } from '../../support/feed-server.ts'
import { type ScriptedShop, startScriptedShop, wireProduct } from '../../support/scripted-supplier.ts'
import { type SmtpFake, startSmtp } from '../../support/smtp.ts'
import { createWebhook, deliver, recordEvents } from '../../support/webhooks.ts'

// Each condition is caused as it happens, and repaired; its alert is mailed once at its beginning and once at its end.
let world: ScriptedShop
let shop: ScriptedShop['shop']
let smtp: SmtpFake
let feed: FeedServer
let token: string
/** Minutes that have passed since the start of the test, for the checks. */
let minute: number

beforeAll(async () => {
  smtp = await startSmtp()
  feed = await startFeedServer()
  world = await startScriptedShop({ SMTP_URL: smtp.url, XML_FEED_URL: feed.url }, { publishes: true })
  shop = world.shop
  token = await loginAs(shop, 'ADMIN')
  await set('alert_email', 'ops@example.test')
})
beforeEach(() => {
  minute = 0
})

/** Gives the supplier ten products, and imports them. */
async function importProducts(): Promise<void> {
  await world.startOver()
  const ids = Array.from({ length: 10 }, (_, index) => `p${index}`)
  const updatedAt = '01.01.2026 00:00:00.000'
  world.supplier.lists.ListCategories = [{ id: 'c', name: 'Category', updatedAt }]
  world.supplier.lists.ListProducts = ids.map((id) => wireProduct(id, { categoryId: 'c' }))
  await world.sync()
}
afterAll(async () => {
  await world.close()
  await smtp.close()
  await feed.close()
})

async function set(key: SettingKey, value: string): Promise<void> {
  const answer = await shop.call('PUT', `/api/v1/admin/config/${key}`, { token, body: { value } })
  expect(answer.status).toBe(200)
}

/** Lets minutes pass and checks all conditions. */
async function checkAfter(minutes: number): Promise<void> {
  minute += minutes
  const at = new Date(Date.now() + minute * 60_000)
  await checkAlerts({ ...shop.deps, now: () => at })
}

/** The alerts of a condition, the newest first, and the number of mails about it. */
async function alerts(name: AlertName): Promise<{ open: boolean; details: string; mails: number }[]> {
  const { body } = await shop.call('GET', '/api/v1/admin/alerts', { token })
  const all: { name: string; details: string; endedAt: string | null }[] = Array.isArray(body) ? body : []
  const mails = await shop.deps.db.selectFrom('mails').where('subject', 'like', `%(${name})`).selectAll().execute()
  const found = all.filter((alert) => alert.name === name)
  return found.map(({ details, endedAt }) => ({ open: endedAt === null, details, mails: mails.length }))
}
const begun = (details: string) => [{ open: true, details: expect.stringContaining(details), mails: 1 }]
const over = [{ open: false, details: expect.any(String), mails: 2 }]

/** Checks twice, with enough time between that an absent condition is over. */
async function checkUntilOver(): Promise<void> {
  await checkAfter(1)
  await checkAfter(6)
}

describe('of the catalogue', () => {
  beforeEach(importProducts)

  test('no successful sync for alert_sync_minutes, until one succeeds', async () => {
    world.supplier.intercept = () => ({
      status: 500,
      headers: { 'retry-after': '0' },
      body: { error: 'broken' },
    })
    expect((await world.sync()).status).toBe('FAILED')
    await checkAfter(50)
    expect(await alerts('SyncStale')).toEqual([])
    await checkAfter(11)
    await checkAfter(1)
    expect(await alerts('SyncStale')).toEqual(begun('500'))
    world.supplier.intercept = null
    await world.sync()
    minute = 0
    await checkUntilOver()
    expect(await alerts('SyncStale')).toEqual(over)
  })

  test('a sync that is switched off is not stale, and has its time when it is switched on again', async () => {
    await shop.deps.db.deleteFrom('alerts').execute()
    await set('job_sync_enabled', 'false')
    await checkAfter(600)
    expect(await alerts('SyncStale')).toEqual([])
    // As if the last run had been long before.
    const longAgo = new Date(Date.now() - 600 * 60_000)
    await shop.deps.db.updateTable('sync_runs').set({ finished_at: longAgo }).execute()
    await set('job_sync_enabled', 'true')
    minute = 0
    await checkAfter(59)
    expect(await alerts('SyncStale')).toEqual([])
    await set('alert_sync_minutes', '58')
    await checkAfter(0)
    await set('alert_sync_minutes', '60')
    expect(await alerts('SyncStale')).toMatchObject([{ open: true }])
  })

  test('a sync that waits for acceptVanished, until it is accepted', async () => {
    world.supplier.lists.ListProducts.splice(0, 5)
    await world.sync({ full: true })
    await world.sync()
    world.supplier.intercept = () => ({ status: 400, body: { error: 'no' } })
    await world.sync()
    await checkAfter(1)
    await checkAfter(10)
    expect(await alerts('SyncWaiting')).toEqual(begun('5 of 10 active products are missing'))
    world.supplier.intercept = null
    await world.sync({ acceptVanished: true })
    await checkUntilOver()
    expect(await alerts('SyncWaiting')).toEqual(over)
  })

  test('a feed refused by its own check, until one passes', async () => {
    const { db } = shop.deps
    expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'UNCHANGED', entries: 10 })
    await db.updateTable('products').set({ active_override: false }).where('external_id', '<', 'p8').execute()
    expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'REJECTED' })
    await checkAfter(1)
    await checkAfter(10)
    expect(await alerts('FeedRefused')).toEqual(begun('2'))
    await db.updateTable('products').set({ active_override: null }).execute()
    expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'UNCHANGED' })
    await checkUntilOver()
    expect(await alerts('FeedRefused')).toEqual(over)
  })

  test('a failed pipeline run, until a later one succeeds; one in progress says nothing', async () => {
    feed.serve('<yml_catalog>')
    await (await startPipeline(shop.deps)).finished
    await checkAfter(1)
    expect(await alerts('PipelineFailed')).toEqual(begun('Run'))
    const held = Promise.withResolvers<void>()
    feed.serve((_request, response) => {
      void held.promise.then(() => response.end(feedXml({ offers: [{ id: 'T1' }] })))
    })
    const repaired = await startPipeline(shop.deps)
    await checkAfter(1)
    await checkAfter(200)
    expect(await alerts('PipelineFailed')).toEqual(begun('Run'))
    held.resolve()
    await repaired.finished
    await checkUntilOver()
    expect(await alerts('PipelineFailed')).toEqual(over)
    feed.serve('<yml_catalog>')
    await (await startPipeline(shop.deps, true)).finished
    await checkAfter(1)
    expect(await alerts('PipelineFailed')).toEqual(over)
  })

  test('a pipeline run that is retried, and fails again, is mailed once', async () => {
    await shop.deps.db.deleteFrom('alerts').execute()
    await shop.deps.db.deleteFrom('mails').execute()
    feed.serve('<yml_catalog>')
    const failed = await startPipeline(shop.deps)
    await failed.finished
    await checkAfter(1)
    const held = Promise.withResolvers<void>()
    feed.serve((_request, response) => {
      void held.promise.then(() => response.end('<yml_catalog>'))
    })
    const retried = await retryPipeline(shop.deps, failed.runId)
    await checkUntilOver()
    held.resolve()
    await retried.finished
    await checkAfter(1)
    expect(await alerts('PipelineFailed')).toEqual(begun('Run'))
  })
})

async function sendMail(recipient: string): Promise<void> {
  const mail = { recipient, subject: 'Order', body: 'Text' }
  await shop.deps.db.transaction().execute((trx) => enqueueMail(trx, mail))
  await deliverDueMails(shop.deps)
}

test('mails that fail for an hour, until one is sent', async () => {
  smtp.behaviour = { refuseRecipient: '451 4.3.2 Not now for <customer@example.test>' }
  const warn = vi.spyOn(shop.deps.log, 'warn')
  await shop.deps.db.deleteFrom('mails').execute()
  await sendMail('customer@example.test')
  await checkAfter(58)
  expect(await alerts('MailsFailing')).toEqual([])
  await checkAfter(3)
  await checkAfter(1)
  expect(await alerts('MailsFailing')).toEqual(begun('451 4.3.2 Not now'))
  expect(JSON.stringify(warn.mock.calls)).toContain('alert began')
  expect(JSON.stringify(warn.mock.calls)).not.toContain('customer@')
  warn.mockRestore()
  smtp.behaviour = {}
  await sendMail('customer@example.test')
  await checkUntilOver()
  expect(await alerts('MailsFailing')).toEqual(over)
})

test("one customer whose address is refused is no fault; one of the shop's own is", async () => {
  const { db } = shop.deps
  await db.deleteFrom('alerts').execute()
  await db.deleteFrom('mails').execute()
  smtp.behaviour = { refuseRecipient: '550 5.1.1 No such user' }
  await sendMail('nobody@example.test')
  await checkAfter(61)
  expect(await alerts('MailsFailing')).toEqual([])
  await set('notification_email', 'orders@example.test')
  await sendMail('orders@example.test')
  await checkAfter(1)
  smtp.behaviour = {}
  expect(await alerts('MailsFailing')).toEqual(begun('550 5.1.1 No such user'))
})

test('a webhook that fails for an hour while something waits, and one that was switched off', async () => {
  const { db } = shop.deps
  const id = await createWebhook(shop.deps, 'http://127.0.0.1:1/secret-path')
  await recordEvents(shop.deps, 1)
  // Its address is refused.
  await deliver(shop.deps)
  await checkAfter(58)
  expect(await alerts('WebhooksFailing')).toEqual([])
  await checkAfter(3)
  await checkAfter(1)
  expect(await alerts('WebhooksFailing')).toEqual(begun(`Webhook ${id}, since`))
  expect(await alerts('WebhookSwitchedOff')).toEqual([])
  await db.updateTable('webhooks').set({ active: false, switched_off_at: new Date() }).execute()
  await checkUntilOver()
  expect(await alerts('WebhooksFailing')).toEqual(over)
  expect(await alerts('WebhookSwitchedOff')).toEqual(begun('Last error: the address is private'))
  expect(JSON.stringify(await alerts('WebhookSwitchedOff'))).not.toContain('secret-path')
  await db.deleteFrom('webhooks').execute()
  await checkUntilOver()
  expect(await alerts('WebhookSwitchedOff')).toEqual(over)
})

test('a storage that cannot be written to, until it can', async () => {
  const objects = join(shop.deps.config.dataDir, 'objects')
  // Checks within five seconds share their outcome.
  const real = performance.now.bind(performance)
  let later = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + later)
  await checkAfter(0)
  expect(await alerts('StorageNotWritable')).toEqual([])
  await rename(objects, `${objects}-away`)
  await writeFile(objects, 'in the way')
  later += 5000
  await checkAfter(1)
  await checkAfter(1)
  expect(await alerts('StorageNotWritable')).toEqual(begun(`As ${shop.deps.instance} sees it: E`))
  await rm(objects)
  await rename(`${objects}-away`, objects)
  later += 5000
  await checkUntilOver()
  clock.mockRestore()
  expect(await alerts('StorageNotWritable')).toEqual(over)
})
