import { fork } from 'node:child_process'
import { once } from 'node:events'
import { sql } from 'kysely'
import PQueue from 'p-queue'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDatabase, type Trx } from '../../../db/database.ts'
import { LOCKS } from '../../../db/locks.ts'
import type { OrderStatus } from '../../../db/tables/orders.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import { createSupplierClient } from '../../../src/clients/supplier/client.ts'
import { createTasks } from '../../../src/runtime/concurrency/tasks.ts'
import { submitOrder } from '../../../src/services/orders/submit.ts'
import { numberedCatalogue } from '../../demo/client.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { placeOrder } from '../../support/orders.ts'
import { PROCESS_TIMEOUT_MS } from '../../support/serving-process.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

let world: SupplierShop
let manager: UserRow
let token: string

beforeAll(async () => {
  world = await startSupplierShop({ SUPPLIER_AUTH_TYPE: 'TOKEN' }, numberedCatalogue(30))
  await world.sync()
  manager = await createUser(world.shop, 'MANAGER', { name: 'Мария' })
  token = world.shop.app.signToken(manager)
})
beforeEach(() => {
  world.supplier.faults.reset()
  world.supplier.requests.clear()
})
afterAll(() => world.close())

/** An order straight in the database: two lines of the supplier's products. */
async function createOrder(status: OrderStatus = 'NEW', externalIds: (string | null)[] = ['p1', 'p2']) {
  const { db } = world.shop.deps
  const { id } = await db
    .insertInto('orders')
    .values({
      status,
      customer_name: 'Анна',
      customer_phone: '+7 900 000-00-00',
      delivery_method: 'courier',
      delivery_address: 'Тверь, Мира 1',
      delivery_cost: '300.10',
      comment: 'после шести',
      ...(status === 'SENT' ? { external_id: 'before', sent_at: new Date() } : {}),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('order_items')
    .values(
      externalIds.map((externalId, index) => ({
        order_id: id,
        product_external_id: externalId,
        product_name: `Дрель ${index + 1}`,
        price_at_order: '100.50',
        quantity: 1,
      })),
    )
    .execute()
  return id
}

const submit = (id: number) => world.shop.call('POST', `/api/v1/admin/orders/${id}/submit`, { token })
const details = async (id: number) =>
  (await world.shop.call('GET', `/api/v1/admin/orders/${id}`, { token })).body
const sentFor = (id: number) => world.supplier.orders.filter(({ reference }) => reference === String(id))
const attemptsOf = (id: number) =>
  world.shop.deps.db
    .selectFrom('order_submit_attempts')
    .selectAll()
    .where('order_id', '=', id)
    .orderBy('id')
    .execute()
const orderRow = (id: number) =>
  world.shop.deps.db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

/** A submission service of its own, over the same database and supplier. */
function ownSubmission(config: { postTimeoutMs?: number } = {}, lines: string[] = []) {
  const { deps } = world.shop
  const own = {
    ...deps,
    tasks: createTasks(),
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    supplier: createSupplierClient({ ...deps.config.supplier, ...config }),
  }
  return {
    submit: (id: number, actor: UserRow) => submitOrder(own, actor, { id }),
    stop: own.tasks.stop,
  }
}

test.each(['NEW', 'PROCESSING', 'ERROR'] as const)('an order that is %s is sent as it is', async (status) => {
  const id = await createOrder(status)
  const before = Date.now()
  const answer = await submit(id)
  expect(answer).toMatchObject({ status: 200, body: { id, status: 'SENT', submitError: null } })
  expect(sentFor(id)).toMatchObject([
    {
      reference: String(id),
      customer: { name: 'Анна', phone: '+7 900 000-00-00', email: null },
      delivery: { method: 'courier', address: 'Тверь, Мира 1', cost: 300.1 },
      comment: 'после шести',
      items: [
        { productId: 'p1', quantity: 1, price: 100.5 },
        { productId: 'p2', quantity: 1, price: 100.5 },
      ],
    },
  ])
  const [sent] = sentFor(id)
  expect(answer.body).toMatchObject({ externalId: sent?.id })
  expect((await orderRow(id)).sent_at?.getTime()).toBeGreaterThanOrEqual(before - 1000)
  expect(await details(id)).toMatchObject({
    history: [{ userId: manager.id, userName: 'Мария', fromStatus: status, toStatus: 'SENT' }],
    submitAttempts: [
      {
        outcome: 'ACCEPTED',
        error: null,
        durationMs: expect.any(Number),
        request: { reference: String(id), items: [{ productId: 'p1' }, { productId: 'p2' }] },
        response: { status: 200, body: JSON.stringify({ id: sent?.id }) },
      },
    ],
  })
})

test.each(['SENT', 'CANCELLED', 'COMPLETED', 'ARCHIVED'] as const)(
  'an order that is %s is not sent',
  async (status) => {
    const id = await createOrder(status)
    expect(await submit(id)).toMatchObject({ status: 409, body: { code: 'ORDER_NOT_SUBMITTABLE' } })
    expect(await attemptsOf(id)).toEqual([])
    expect(world.supplier.requests.total).toBe(0)
  },
)

test('answers 404 for an unknown order and an id out of range', async () => {
  for (const id of [2_000_000_000, 99_999_999_999]) expect((await submit(id)).status).toBe(404)
})

test('answers 409 naming lines unknown to the supplier', async () => {
  const id = await createOrder('NEW', ['p1', null])
  const answer = await submit(id)
  expect(answer).toMatchObject({
    status: 409,
    body: {
      code: 'NOT_A_SUPPLIER_PRODUCT',
      details: [{ path: expect.stringMatching(/^items\.\d+$/), message: expect.stringContaining('Дрель 2') }],
    },
  })
  expect(await attemptsOf(id)).toEqual([])
  expect(world.supplier.requests.total).toBe(0)
})

test('sets a refused order to ERROR with the reason, and allows another submission', async () => {
  const id = await createOrder('NEW', ['p1', 'unknown-1'])
  expect(await submit(id)).toMatchObject({
    status: 200,
    body: { status: 'ERROR', externalId: null, submitError: expect.stringContaining('unknown-1') },
  })
  world.catalogue.upsertProduct({ id: 'unknown-1', name: 'Теперь есть', price: 1, stock: 5 })
  expect(await submit(id)).toMatchObject({ status: 200, body: { status: 'SENT', submitError: null } })
  expect((await attemptsOf(id)).map(({ outcome }) => outcome)).toEqual(['REFUSED', 'ACCEPTED'])
  expect(await details(id)).toMatchObject({
    history: [
      { fromStatus: 'NEW', toStatus: 'ERROR' },
      { fromStatus: 'ERROR', toStatus: 'SENT' },
    ],
  })
})

test('does not mark refused lines as sent, but keeps marks of an earlier unclear attempt', async () => {
  const id = await createOrder()
  const attempt = async (status: number) => {
    world.supplier.faults.set({ failNext: 1, status, path: 'CreateOrder' })
    expect(await submit(id)).toMatchObject({ body: { status: 'ERROR' } })
    return (await orderRow(id)).sent_at
  }
  expect(await attempt(400)).toBeNull()
  expect(await attempt(400)).toBeNull()
  const unclear = await attempt(500)
  expect(unclear).toEqual(expect.any(Date))
  expect(await attempt(400)).toEqual(unclear)
  expect((await attemptsOf(id)).map(({ outcome }) => outcome)).toEqual([
    'REFUSED',
    'REFUSED',
    'UNCLEAR',
    'REFUSED',
  ])
})

test('keeps accepted lines unchanged when staff reopen the order', async () => {
  const { db } = world.shop.deps
  const { id: productId } = await db
    .selectFrom('products')
    .select('id')
    .where('external_id', '=', 'p3')
    .executeTakeFirstOrThrow()
  const { id, items } = await placeOrder(world.shop, [{ productId, quantity: 1 }])
  expect(await submit(id)).toMatchObject({ body: { status: 'SENT' } })
  const admin = await loginAs(world.shop, 'ADMIN')
  const send = (method: string, path: string, body?: unknown) =>
    world.shop.call(method, `/api/v1/admin/orders/${id}${path}`, { token: admin, body })
  expect(await send('PATCH', '', { status: 'PROCESSING' })).toMatchObject({ status: 200 })
  for (const answer of [
    await send('POST', '/items', { productId, quantity: 1 }),
    await send('DELETE', `/items/${items[0]?.id}`),
  ]) {
    expect(answer).toMatchObject({ status: 409, body: { code: 'ORDER_NOT_EDITABLE' } })
  }
  expect(await details(id)).toMatchObject({ status: 'PROCESSING', items: [{ productId, quantity: 1 }] })
})

test('sets ERROR after each failed attempt, and creates one order in the end', async () => {
  const id = await createOrder()
  const faults = [
    [{ failNext: 1, status: 500 }, /answered 500/],
    [{ failNext: 1, status: 503, retryAfter: 1 }, /answered 503/],
    [{ malformedNext: 1 }, /without the id/],
    [{ replaceNext: 1, replaceBody: { id: 5 } }, /without the id/],
    [{ loseAnswerNext: 1 }, /^No answer/],
    [{ cutNext: 1 }, /^No answer/],
  ] as const
  for (const [fault, reason] of faults) {
    world.supplier.faults.set(fault)
    expect(await submit(id)).toMatchObject({
      status: 200,
      body: { status: 'ERROR', submitError: expect.stringMatching(reason) },
    })
  }
  expect((await attemptsOf(id)).map(({ outcome }) => outcome)).toEqual(faults.map(() => 'UNCLEAR'))
  expect(await submit(id)).toMatchObject({ body: { status: 'SENT', submitError: null } })
  expect(sentFor(id)).toHaveLength(1)
  expect((await orderRow(id)).external_id).toBe(sentFor(id)[0]?.id)
})

test.each([
  ['an emoji in the middle of what is kept', (id: string) => `${id}${'x'.repeat(5000)}`],
  ['emojis at every place', (id: string) => `${id}${'\u{1F600}'.repeat(2500)}`],
  ['emojis at every other place', (id: string) => `${id}x${'\u{1F600}'.repeat(2500)}`],
  ['what no column takes', (id: string) => `${id}\0\uD83D`],
])('records the supplier’s answer: %s', async (_name, padding) => {
  const id = await createOrder()
  const note = padding(`${'y'.repeat(1970)}\u{1F600}`)
  world.supplier.faults.set({ replaceNext: 1, replaceBody: { id: 'Z-1', note } })
  expect(await submit(id)).toMatchObject({ status: 200, body: { status: 'SENT', externalId: 'Z-1' } })
  const refused = await createOrder()
  const replaceBody = { note: padding('y'.repeat(180)) }
  world.supplier.faults.set({ replaceNext: 1, replaceBody })
  expect(await submit(refused)).toMatchObject({ status: 200, body: { status: 'ERROR' } })
  const stored = JSON.stringify([await attemptsOf(id), await attemptsOf(refused), await orderRow(refused)])
  expect(stored).toContain('yyyy')
  // A lone half is written by JSON.stringify as \\ud83d.
  expect(stored).not.toMatch(/[^\\](\\\\)*\\u(0000|d83d)/i)
})

test('locks the order during the call, which a stop ends as UNCLEAR', async () => {
  const id = await createOrder()
  world.supplier.faults.set({ hangNext: 1, path: 'CreateOrder' })
  const own = ownSubmission({ postTimeoutMs: 2 * PROCESS_TIMEOUT_MS })
  const submission = own.submit(id, manager)
  await expect.poll(() => world.supplier.requests.total).toBe(1)
  // No transaction is open meanwhile.
  const { rows } = await sql<{ open: number }>`
    select count(*) as open from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'`.execute(world.shop.deps.db)
  expect(rows[0]?.open).toBe(0)
  const change = (path: string, body: unknown) =>
    world.shop.call('PATCH', `/api/v1/admin/orders/${id}${path}`, { token, body })
  const refused = await Promise.all([
    submit(id),
    change('', { status: 'CANCELLED' }),
    change('/delivery-cost', { deliveryCost: 1 }),
  ])
  for (const answer of refused)
    expect(answer).toMatchObject({ status: 409, body: { code: 'ORDER_SUBMITTING' } })
  await own.stop()
  expect(await submission).toMatchObject({ status: 'ERROR' })
  expect((await attemptsOf(id)).map(({ outcome }) => outcome)).toEqual(['UNCLEAR'])
})

test('gives up on a silent supplier', async () => {
  const id = await createOrder()
  world.supplier.faults.set({ hangNext: 1, path: 'CreateOrder' })
  expect(await ownSubmission({ postTimeoutMs: 300 }).submit(id, manager)).toMatchObject({
    status: 'ERROR',
    submitError: expect.stringContaining('ETIMEDOUT'),
  })
  expect((await attemptsOf(id)).map(({ outcome }) => outcome)).toEqual(['UNCLEAR'])
})

test('waits for a concurrent change of the order', async () => {
  const id = await createOrder()
  const { db } = world.shop.deps
  const { submission } = await whileLocked(
    db,
    async (trx) => {
      await sql`select pg_advisory_xact_lock_shared(${LOCKS.order}::int, ${id}::int)`.execute(trx)
      await trx.updateTable('orders').set({ comment: 'новый' }).where('id', '=', id).execute()
    },
    async () => {
      const submission = submit(id)
      await untilWaiting(db)
      return { submission }
    },
  )
  expect((await submission).body).toMatchObject({ status: 'SENT' })
  expect(sentFor(id)).toMatchObject([{ comment: 'новый' }])
})

test('makes one supplier order of concurrent submissions', async () => {
  const id = await createOrder()
  world.supplier.faults.set({ latencyMs: 100 })
  const answers = await Promise.all(Array.from({ length: 8 }, () => submit(id)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
    expect(status).toBe(409)
    expect(body).toMatchObject({ code: expect.stringMatching(/^ORDER_(SUBMITTING|NOT_SUBMITTABLE)$/) })
  }
  expect(world.supplier.requests.matching('CreateOrder')).toHaveLength(1)
  expect(sentFor(id)).toHaveLength(1)
})

test('makes one supplier order of submissions on several instances', async () => {
  const id = await createOrder()
  world.supplier.faults.set({ latencyMs: 100 })
  const outcomes = await Promise.allSettled(
    Array.from({ length: 3 }, () => ownSubmission().submit(id, manager)),
  )
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(world.supplier.requests.matching('CreateOrder')).toHaveLength(1)
})

test('sends many orders at once over a few connections', async () => {
  const ids = await Promise.all(
    Array.from({ length: 40 }, (_, index) => createOrder('NEW', [`p${1 + (index % 20)}`])),
  )
  world.supplier.faults.set({ latencyMs: 20 })
  const watcher = openDatabase(world.shop.deps.config.databaseUrl, () => {}, { max: 1 })
  let most = 0
  let done = false
  const watching = (async () => {
    while (!done) {
      const { rows } = await sql<{ held: number }>`
        select count(*) as held from pg_locks l join pg_database d on d.oid = l.database
        where l.locktype = 'advisory' and d.datname = current_database()`.execute(watcher.db)
      most = Math.max(most, rows[0]?.held ?? 0)
    }
  })()
  const answers = await Promise.all(ids.map(submit)).finally(() => {
    done = true
  })
  await watching
  await watcher.close()
  for (const { body } of answers) expect(body).toMatchObject({ status: 'SENT' })
  for (const id of ids) expect(sentFor(id)).toHaveLength(1)
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(5)
})

test('resubmits at once after a kill, without a second order', async () => {
  const id = await createOrder()
  const { deps } = world.shop
  world.supplier.faults.set({ latencyMs: 500, path: 'CreateOrder' })
  const child = fork(new URL('../../support/submit-process.ts', import.meta.url), [String(id)], {
    env: {
      ...process.env,
      TEST_DATABASE_URL: deps.config.databaseUrl,
      TEST_SUPPLIER_URL: world.supplier.url,
      TEST_USER_ID: String(manager.id),
    },
    stdio: 'inherit',
  })
  await expect.poll(() => attemptsOf(id), { timeout: PROCESS_TIMEOUT_MS }).toHaveLength(1)
  // Keeps the child from recording the answer that it gets.
  await deps.db.transaction().execute(async (trx) => {
    await trx.selectFrom('orders').select('id').where('id', '=', id).forUpdate().execute()
    await expect.poll(() => sentFor(id)).toHaveLength(1)
    await untilWaiting(deps.db)
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  expect(await orderRow(id)).toMatchObject({ status: 'NEW', external_id: null })
  expect((await attemptsOf(id)).map(({ outcome }) => outcome)).toEqual([null])

  world.supplier.faults.reset()
  expect(await submit(id)).toMatchObject({
    status: 200,
    body: { status: 'SENT', externalId: sentFor(id)[0]?.id },
  })
  expect(sentFor(id)).toHaveLength(1)
  expect(await attemptsOf(id)).toMatchObject([
    { outcome: 'UNCLEAR', error: expect.stringContaining('Interrupted') },
    { outcome: 'ACCEPTED' },
  ])
})

test('stores the answer once the database is available again', async () => {
  const id = await createOrder()
  const { deps } = world.shop
  const impatient = openDatabase(deps.config.databaseUrl, () => {}, { queryTimeoutMs: 1500 })
  const unstored = Promise.withResolvers<void>()
  const log = pino(
    { level: 'warn' },
    { write: (line: string) => void (line.includes('not stored yet') && unstored.resolve()) },
  )
  const client = createSupplierClient(deps.config.supplier)
  const locked = Promise.withResolvers<void>()
  const createLate: typeof client.createOrder = async (...args) => {
    const answer = await client.createOrder(...args)
    await locked.promise
    return answer
  }
  const own = { ...deps, log, db: impatient.db, supplier: { ...client, createOrder: createLate } }
  const submitted = submitOrder(own, manager, { id })
  await expect.poll(() => sentFor(id)).toHaveLength(1)
  const orderLock = (trx: Trx) =>
    trx.selectFrom('orders').select('id').where('id', '=', id).forUpdate().execute()
  await whileLocked(deps.db, orderLock, () => {
    locked.resolve()
    return unstored.promise
  })
  expect(await submitted).toMatchObject({ status: 'SENT' })
  await impatient.close()
})

test('starts no queued submission during a shutdown', async () => {
  const [first, second] = [await createOrder(), await createOrder()]
  const { deps } = world.shop
  const tasks = createTasks()
  const own = {
    ...deps,
    tasks,
    submissionQueue: new PQueue({ concurrency: 1 }),
    supplier: createSupplierClient(deps.config.supplier),
  }
  world.supplier.faults.set({ latencyMs: 300, path: 'CreateOrder' })
  const sent = submitOrder(own, manager, { id: first })
  const refused = expect(submitOrder(own, manager, { id: second })).rejects.toMatchObject({ status: 503 })
  await expect.poll(() => attemptsOf(first)).toHaveLength(1)
  await tasks.stop()
  await refused
  expect(await sent).toMatchObject({ status: 'SENT' })
  expect(await attemptsOf(second)).toEqual([])
})

test('audits the outcome, also if the actor was deleted meanwhile', async () => {
  const id = await createOrder()
  const { db } = world.shop.deps
  const leaving = await createUser(world.shop, 'MANAGER')
  world.supplier.faults.set({ latencyMs: 300, path: 'CreateOrder' })
  const submission = ownSubmission().submit(id, leaving)
  await expect.poll(() => world.supplier.requests.total).toBe(1)
  await db.deleteFrom('users').where('id', '=', leaving.id).execute()
  expect(await submission).toMatchObject({ status: 'SENT' })
  const entries = await db.selectFrom('audit_log').selectAll().where('entity_id', '=', String(id)).execute()
  expect(entries).toMatchObject([
    {
      entity: 'ORDER',
      actor_id: null,
      actor_email: leaving.email,
      before: { status: 'NEW', externalId: null },
      after: { status: 'SENT', externalId: sentFor(id)[0]?.id },
    },
  ])
})

test('does not overwrite later decisions after the lock was lost during the call', async () => {
  const id = await createOrder()
  const { db } = world.shop.deps
  world.supplier.faults.set({ hangNext: 1, path: 'CreateOrder' })
  const own = ownSubmission({ postTimeoutMs: 2 * PROCESS_TIMEOUT_MS })
  const submission = own.submit(id, manager)
  await expect.poll(() => world.supplier.requests.total).toBe(1)
  await sql`
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and classid = ${LOCKS.order}::oid and objid = ${id}`.execute(db)
  await expect.poll(() => submit(id)).toMatchObject({ body: { status: 'SENT' } })
  await own.stop()
  expect(await submission).toMatchObject({ status: 'SENT', submitError: null })
  expect(await orderRow(id)).toMatchObject({ status: 'SENT', external_id: sentFor(id)[0]?.id })
})

test('logs the status, and stores the reason without credentials', async () => {
  const id = await createOrder()
  const lines: string[] = []
  world.supplier.faults.set({ failNext: 1, status: 500 })
  const submission = ownSubmission({}, lines)
  await submission.submit(id, manager)
  world.supplier.faults.set({ replaceNext: 1, replaceBody: { error: 'bad token: supplier-token' } })
  await submission.submit(id, manager)
  await submission.submit(id, manager)
  const log = lines.join('')
  expect(log).toContain('"status":500')
  expect(log).not.toContain('bad token')
  expect(log).toContain(sentFor(id)[0]?.id)
  const stored = log + JSON.stringify(await attemptsOf(id)) + JSON.stringify(await details(id))
  expect(stored).toContain('bad token: ***')
  expect(stored).not.toContain('supplier-token')
})
