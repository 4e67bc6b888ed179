import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { claimDueMail, enqueueMail } from '../../../db/queries/mail/outbox.ts'
import { createMailer } from '../../../src/clients/mailer.ts'
import { createTasks } from '../../../src/runtime/concurrency/tasks.ts'
import { deliverDueMails, SEND_TIMEOUT_MS } from '../../../src/services/mail/mail.ts'
import { purge } from '../../../src/services/operations/jobs.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { type SmtpFake, startSmtp } from '../../support/smtp.ts'
import { createTasksWithoutGrace } from '../../support/tasks.ts'

let smtp: SmtpFake
let shop: TestShop
/** Another instance on the same database. */
let second: TestShop

beforeAll(async () => {
  smtp = await startSmtp()
  const environment = { SMTP_URL: smtp.url, MAIL_FROM: 'shop@example.test' }
  shop = await startTestShop(environment)
  second = await startTestShop(environment, { databaseUrl: shop.deps.config.databaseUrl })
})
afterAll(async () => {
  await second.close()
  await shop.close()
  await smtp.close()
})
beforeEach(async () => {
  await shop.deps.db.deleteFrom('mails').execute()
  smtp.refuseHanging('451 4.7.1 Come back later')
  Object.assign(smtp, { received: [], behaviour: {}, attempts: 0 })
})

async function enqueue(...subjects: string[]): Promise<void> {
  for (const subject of subjects) {
    await shop.deps.db
      .transaction()
      .execute((trx) => enqueueMail(trx, { recipient: 'boss@example.test', subject, body: 'Текст' }))
  }
}

const mails = () => shop.deps.db.selectFrom('mails').selectAll().orderBy('id').execute()
const statuses = async () => (await mails()).map(({ status }) => status)
const untilHanging = () => expect.poll(() => smtp.hanging).toBe(1)
const subjects = () => smtp.received.map(({ headers }) => headers.get('subject'))

/** Simulates the passing of time. */
const later = (minutes: number) =>
  sql`update mails set next_attempt_at = next_attempt_at - ${minutes}::int * interval '1 minute',
    created_at = created_at - ${minutes}::int * interval '1 minute'`.execute(shop.deps.db)

test('sends due mails once, in order', async () => {
  await enqueue('Первое', 'Второе', 'Третье')
  await deliverDueMails(shop.deps)
  await deliverDueMails(shop.deps)
  expect(subjects()).toEqual(['Первое', 'Второе', 'Третье'])
  const [first] = await mails()
  expect(first).toMatchObject({ status: 'SENT', attempts: 1, last_error: null, sent_at: expect.any(Date) })
})

test('stores no mail of a transaction that is rolled back', async () => {
  const failing = shop.deps.db.transaction().execute(async (trx) => {
    await enqueueMail(trx, { recipient: 'boss@example.test', subject: 'Never', body: '' })
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  await deliverDueMails(shop.deps)
  expect(smtp.received).toEqual([])
})

test('finishes the current mail on stop and starts no other', async () => {
  await enqueue('First', 'Second')
  const deps = { ...shop.deps, tasks: createTasks() }
  const delivery = deliverDueMails(deps)
  const stopped = deps.tasks.stop()
  await expect(Promise.all([delivery, stopped])).resolves.toBeDefined()
  expect(subjects()).toEqual(['First'])
  expect(await statuses()).toEqual(['SENT', 'PENDING'])
  expect((await mails())[1]?.attempts).toBe(0)
  // Nor does another tick of the schedule fail.
  await expect(deliverDueMails(deps)).resolves.toBeUndefined()
  expect(subjects()).toEqual(['First'])
})

test('keeps mails while the server is down, and tries only one', async () => {
  const { config } = shop.deps
  // Nothing listens on the discard port.
  const mailer = createMailer({ ...config, mail: { ...config.mail, smtpUrl: 'smtp://127.0.0.1:9' } })
  await enqueue('One', 'Two')
  await deliverDueMails({ ...shop.deps, mailer })
  expect((await mails()).map(({ attempts }) => attempts)).toEqual([1, 0])
  expect((await mails())[0]).toMatchObject({
    status: 'PENDING',
    last_error: expect.stringContaining('ECONNREFUSED'),
  })
  await deliverDueMails(shop.deps)
  expect(subjects()).toEqual(['Two'])
  await later(1)
  await deliverDueMails(shop.deps)
  expect(subjects()).toEqual(['Two', 'One'])
  expect(await statuses()).toEqual(['SENT', 'SENT'])
})

test('retries a greylisted mail with the same id, without delaying others', async () => {
  await enqueue('Grey')
  smtp.behaviour = { refuseRecipient: '451 4.7.1 Come back later' }
  await deliverDueMails(shop.deps)
  smtp.behaviour = {}
  await enqueue('Other')
  await deliverDueMails(shop.deps)
  expect(subjects()).toEqual(['Other'])
  await later(1)
  await deliverDueMails(shop.deps)
  expect(subjects()).toEqual(['Other', 'Grey'])
  expect((await mails())[0]).toMatchObject({ status: 'SENT', attempts: 2, last_error: null })
})

test('fails a refused recipient at once and continues with the next mail', async () => {
  await enqueue('No', 'Yes')
  await shop.deps.db.updateTable('mails').set({ recipient: 'a@x.test,b@x.test' }).where('subject', '=', 'No').execute()
  await deliverDueMails(shop.deps)
  expect(await statuses()).toEqual(['FAILED', 'SENT'])
  smtp.behaviour = { refuseRecipient: '550 5.1.1 No such user' }
  await enqueue('Nobody')
  await deliverDueMails(shop.deps)
  expect((await mails())[2]).toMatchObject({ status: 'FAILED', attempts: 1 })
  expect((await mails())[2]?.last_error).toContain('550 5.1.1 No such user')
})

test('fails a mail after ten attempts in about two days', async () => {
  await enqueue('Never')
  smtp.behaviour = { refuseRecipient: '451 4.7.1 Never' }
  const pauses: number[] = []
  for (let attempt = 1; attempt <= 9; attempt++) {
    await deliverDueMails(shop.deps)
    const { rows } = await sql<{ minutes: number }>`
      select round(extract(epoch from next_attempt_at - now()) / 60)::int as minutes from mails`.execute(shop.deps.db)
    pauses.push(rows[0]?.minutes ?? 0)
    await later((rows[0]?.minutes ?? 0) + 1)
  }
  expect(pauses).toEqual([1, 5, 15, 60, 180, 360, 720, 720, 720])
  expect(await statuses()).toEqual(['PENDING'])
  await deliverDueMails(shop.deps)
  expect((await mails())[0]).toMatchObject({ status: 'FAILED', attempts: 10 })
  await later(10_000)
  await deliverDueMails(shop.deps)
  expect(smtp.attempts).toBe(10)
})

test('leases a mail for 90 seconds, and opens no transaction while a server hangs', async () => {
  await enqueue('Slow')
  smtp.behaviour = { hang: true }
  const delivering = deliverDueMails(second.deps)
  await expect.poll(() => smtp.attempts).toBe(1)
  const open = sql`select from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'`
  await expect.poll(async () => (await open.execute(shop.deps.db)).rows).toEqual([])
  // The row isn't locked either.
  await sql`select id from mails for update nowait`.execute(shop.deps.db)
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from next_attempt_at - clock_timestamp())::float8 as seconds from mails`.execute(shop.deps.db)
  expect(rows[0]?.seconds).toBeGreaterThan(SEND_TIMEOUT_MS / 1000)
  expect(rows[0]?.seconds).toBeLessThanOrEqual(90)
  await deliverDueMails(shop.deps)
  expect(smtp.attempts).toBe(1)
  await untilHanging()
  smtp.refuseHanging('451 4.7.1 Come back later')
  await delivering
  expect(await mails()).toMatchObject([{ status: 'PENDING', attempts: 1 }])
})

test('shares the work between instances', async () => {
  const all = Array.from({ length: 30 }, (_, n) => `Mail ${n}`)
  await enqueue(...all)
  smtp.behaviour = { delayMs: 5 }
  await Promise.all([shop, second, shop, second].map(({ deps }) => deliverDueMails(deps)))
  expect(subjects().toSorted()).toEqual(all.toSorted())
  expect(new Set(await statuses())).toEqual(new Set(['SENT']))
})

test('sends a mail again with the same Message-ID when the lease of a dead process expires', async () => {
  await enqueue('Twice at worst')
  const claimed = await claimDueMail(shop.deps.db, 5 * 60_000)
  expect(claimed?.attempts).toBe(1)
  // It went out, and the process died before it could write that down.
  const mail = {
    recipient: 'boss@example.test',
    subject: 'Twice at worst',
    body: '',
    date: claimed?.created_at ?? new Date(),
    key: `${claimed?.created_at.getTime()}.${claimed?.id}`,
  }
  const { signal } = new AbortController()
  await shop.deps.mailer.send(mail, { signal, timeoutMs: 60_000 })
  await deliverDueMails(shop.deps)
  expect(smtp.received).toHaveLength(1)
  await sql`update mails set next_attempt_at = now() - interval '1 second'`.execute(shop.deps.db)
  await deliverDueMails(shop.deps)
  const ids = smtp.received.map(({ headers }) => headers.get('message-id'))
  expect(ids).toHaveLength(2)
  expect(new Set(ids).size).toBe(1)
  expect(await statuses()).toEqual(['SENT'])
})

test('does not overwrite the outcome of another process after the lease expired', async () => {
  await enqueue('Raced')
  smtp.behaviour = { hang: true }
  const slow = deliverDueMails(second.deps)
  await untilHanging()
  smtp.behaviour = {}
  await sql`update mails set next_attempt_at = now()`.execute(shop.deps.db)
  await deliverDueMails(shop.deps)
  expect(await statuses()).toEqual(['SENT'])
  smtp.refuseHanging('451 4.7.1 Too slow')
  await slow
  expect((await mails())[0]).toMatchObject({ status: 'SENT', last_error: null })
})

test('a late failure changes nothing of the attempt that followed', async () => {
  await enqueue('Raced')
  smtp.behaviour = { hang: true }
  const slow = deliverDueMails(second.deps)
  await untilHanging()
  await sql`update mails set next_attempt_at = now()`.execute(shop.deps.db)
  await claimDueMail(shop.deps.db, 90_000)
  smtp.refuseHanging('550 5.1.1 No such mailbox')
  await slow
  expect(await mails()).toMatchObject([{ status: 'PENDING', attempts: 2, last_error: null }])
})

test('sends a mail whose delivery a shutdown aborted again after its lease', async () => {
  await enqueue('Interrupted')
  smtp.behaviour = { hang: true }
  const tasks = createTasksWithoutGrace()
  const delivering = deliverDueMails({ ...second.deps, tasks })
  await untilHanging()
  await tasks.stop()
  await delivering
  expect(await mails()).toMatchObject([{ status: 'PENDING', last_error: null }])
  smtp.behaviour = {}
  await deliverDueMails(shop.deps)
  expect(subjects()).toEqual([])
  await later(2)
  await deliverDueMails(shop.deps)
  expect(subjects()).toEqual(['Interrupted'])
})

test('deletes mails after 30 days, except pending ones', async () => {
  await enqueue('Sent')
  await deliverDueMails(shop.deps)
  await enqueue('Waiting')
  await later(29 * 24 * 60)
  await purge(shop.deps)
  expect(await statuses()).toEqual(['SENT', 'PENDING'])
  await later(24 * 60)
  await purge(shop.deps)
  expect(await statuses()).toEqual(['PENDING'])
})
