import { fork } from 'node:child_process'
import { once } from 'node:events'
import { sql, type Updateable } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openDatabase, type Trx } from '../../../db/database.ts'
import type { OrderTables } from '../../../db/tables/orders.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../../src/deps.ts'
import { submitOrder } from '../../../src/services/orders/submit.ts'
import { numberedCatalogue } from '../../demo/client.ts'
import { createUser } from '../../support/accounts.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { createSupplierOrder } from '../../support/orders.ts'
import { PROCESS_TIMEOUT_MS } from '../../support/serving-process.ts'
import { startSilentProxy } from '../../support/silent-proxy.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'
import { createTasksWithoutGrace } from '../../support/tasks.ts'

type CreateOrder = Deps['supplier']['createOrder']

/** Key of the advisory lock that `pausing` waits for. */
const PAUSE = 4711
let world: SupplierShop
let deps: Deps
let manager: UserRow
let token: string

beforeAll(async () => {
  world = await startSupplierShop({}, numberedCatalogue(20))
  deps = world.shop.deps
  manager = await createUser(world.shop, 'MANAGER')
  token = world.shop.app.signToken(manager)
})
beforeEach(() => {
  world.supplier.faults.reset()
  world.supplier.requests.length = 0
})
afterAll(() => world.close())

const createOrder = (externalIds?: string[]) => createSupplierOrder(world.shop, 'NEW', externalIds)
const submit = (id: number) => world.shop.call('POST', `/api/v1/admin/orders/${id}/submit`, { token })
const sentFor = (id: number) => world.supplier.orders.filter(({ reference }) => reference === String(id))
const attemptsOf = (id: number) =>
  deps.db.selectFrom('order_submit_attempts').selectAll().where('order_id', '=', id).orderBy('id').execute()
const orderRow = (id: number) => deps.db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const lockOrder = (id: number) => (trx: Trx) =>
  trx.selectFrom('orders').select('id').where('id', '=', id).forUpdate().execute()

/** Makes the attempts of an order so old that a crash must have interrupted them. */
const interrupt = (id: number) =>
  sql`update order_submit_attempts set started_at = started_at - interval '1 minute' where order_id = ${id}`.execute(
    deps.db,
  )

/** Submits with dependencies of its own, as another instance would. */
const submitWith = (own: Partial<Deps>, id: number, actor = manager) => submitOrder({ ...deps, ...own }, actor, { id })

/** A client of the supplier whose calls wait until they are released. */
function heldSupplier(createOrder: CreateOrder = deps.supplier.createOrder) {
  const called = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  // A failed test must not keep the places of its calls in the queue.
  onTestFinished(() => released.resolve())
  const held: CreateOrder = async (...args) => {
    called.resolve()
    await released.promise
    return createOrder(...args)
  }
  return {
    supplier: { ...deps.supplier, createOrder: held },
    called: called.promise,
    release: released.resolve,
  }
}

test('locks the order during the call, which a stop ends as UNCLEAR', async () => {
  const id = await createOrder()
  world.supplier.faults.set({ hangNext: 1, path: 'CreateOrder' })
  const tasks = createTasksWithoutGrace()
  onTestFinished(() => tasks.stop())
  const submission = submitWith({ tasks }, id)
  await expect.poll(() => world.supplier.requests).toHaveLength(1)
  // No transaction is open meanwhile.
  const open = sql`
    select from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'`
  await expect.poll(async () => (await open.execute(deps.db)).rows).toEqual([])
  const change = (path: string, body: unknown) =>
    world.shop.call('PATCH', `/api/v1/admin/orders/${id}${path}`, { token, body })
  const changes = [
    () => submit(id),
    () => change('', { status: 'CANCELLED' }),
    () => change('/delivery-cost', { deliveryCost: 1 }),
  ]
  // A busy machine may answer 503 first.
  for (const refused of changes) {
    await expect.poll(refused).toMatchObject({ status: 409, body: { code: 'ORDER_SUBMITTING' } })
  }
  // Its customer can't cancel it either.
  expect((await orderRow(id)).sent_at).not.toBeNull()
  await tasks.stop()
  expect(await submission).toMatchObject({ status: 'ERROR' })
  expect((await attemptsOf(id)).map(({ outcome }) => outcome)).toEqual(['UNCLEAR'])
})

test('waits for a concurrent change of the order', async () => {
  const id = await createOrder()
  const { submission } = await whileLocked(
    deps.db,
    (trx) => trx.updateTable('orders').set({ comment: 'новый' }).where('id', '=', id).execute(),
    async () => {
      const submission = submit(id)
      await untilWaiting(deps.db)
      return { submission }
    },
  )
  expect((await submission).body).toMatchObject({ status: 'SENT' })
  expect(sentFor(id)).toMatchObject([{ comment: 'новый' }])
})

test('makes one supplier order of concurrent submissions', async () => {
  const id = await createOrder()
  world.supplier.faults.set({ latencyMs: 100 })
  const elsewhere = Array.from({ length: 3 }, () =>
    submitWith({}, id).then(
      () => ({ status: 200, body: {} }),
      ({ status, code }) => ({ status, body: { code } }),
    ),
  )
  const answers = await Promise.all([...Array.from({ length: 5 }, () => submit(id)), ...elsewhere])
  expect(answers.some(({ status }) => status === 200)).toBe(true)
  // One that comes late is answered with the accepted order.
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    expect(answer).toMatchObject({ status: 409, body: { code: 'ORDER_SUBMITTING' } })
  }
  expect(world.supplier.requests.filter(({ path }) => path.includes('CreateOrder'))).toHaveLength(1)
  expect(sentFor(id)).toHaveLength(1)
})

test('resubmits a minute after a kill, without a second order', async () => {
  const id = await createOrder()
  await sql`
    create function pausing() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(${sql.lit(PAUSE)}); return new; end $$`.execute(deps.db)
  await sql`
    create trigger pausing before update on order_submit_attempts
    for each row execute function pausing()`.execute(deps.db)
  await whileLocked(
    deps.db,
    (trx) => sql`select pg_advisory_xact_lock(${PAUSE})`.execute(trx),
    async () => {
      const child = fork(new URL('../../support/submit-process.ts', import.meta.url), [String(id)], {
        env: {
          ...process.env,
          TEST_DATABASE_URL: deps.config.databaseUrl,
          TEST_DATA_DIR: deps.config.dataDir,
          TEST_SUPPLIER_URL: world.supplier.url,
          TEST_USER_ID: String(manager.id),
        },
        stdio: 'inherit',
      })
      await expect.poll(() => sentFor(id), { timeout: PROCESS_TIMEOUT_MS }).toHaveLength(1)
      // It has the supplier's answer, and is about to record it.
      await untilWaiting(deps.db)
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  )
  await sql`drop function pausing cascade`.execute(deps.db)
  expect(await orderRow(id)).toMatchObject({ status: 'NEW', external_id: null })
  expect(await attemptsOf(id)).toMatchObject([{ outcome: 'UNCLEAR', error: expect.stringContaining('interrupted') }])

  expect(await submit(id)).toMatchObject({ status: 409, body: { code: 'ORDER_SUBMITTING' } })
  await interrupt(id)
  expect(await submit(id)).toMatchObject({
    status: 200,
    body: { status: 'SENT', externalId: sentFor(id)[0]?.id },
  })
  expect(sentFor(id)).toHaveLength(1)
  expect(await attemptsOf(id)).toMatchObject([{ outcome: 'UNCLEAR' }, { outcome: 'ACCEPTED' }])
})

test('stores the answer once a database that was away is back', async () => {
  const id = await createOrder()
  const proxy = await startSilentProxy(deps.config.databaseUrl)
  const { db, close } = openDatabase(proxy.url, () => {}, { queryTimeoutMs: 1000 })
  onTestFinished(async () => {
    await proxy.close()
    await close()
  })
  const { supplier, called, release } = heldSupplier()
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  const submission = submitWith({ db, supplier, log }, id)
  await called
  proxy.goSilent()
  release()
  await expect
    .poll(() => lines.join(''), { timeout: PROCESS_TIMEOUT_MS })
    .toContain('answer of the supplier not stored')
  proxy.recover()
  expect(await submission).toMatchObject({ status: 'SENT', externalId: sentFor(id)[0]?.id })
  expect((await attemptsOf(id)).map(({ outcome }) => outcome)).toEqual(['ACCEPTED'])
})

test('audits the outcome, also if the actor was deleted meanwhile', async () => {
  const id = await createOrder()
  const leaving = await createUser(world.shop, 'MANAGER')
  const { supplier, called, release } = heldSupplier()
  const submission = submitWith({ supplier }, id, leaving)
  await called
  await deps.db.deleteFrom('users').where('id', '=', leaving.id).execute()
  release()
  expect(await submission).toMatchObject({ status: 'SENT' })
  const entries = await deps.db
    .selectFrom('audit_log')
    .selectAll()
    .where('entity', '=', 'ORDER')
    .where('entity_id', '=', String(id))
    .execute()
  expect(entries).toMatchObject([
    {
      actor_id: null,
      actor_email: leaving.email,
      before: { status: 'NEW', externalId: null },
      after: { status: 'SENT', externalId: sentFor(id)[0]?.id },
    },
  ])
})

test.each([
  { outcome: 'UNCLEAR', reason: 'No answer', answer: null },
  { outcome: 'ACCEPTED', externalId: 'of a forgotten reference', answer: { status: 200, body: '{}' } },
] as const)('does not overwrite later decisions after a call that took too long: $outcome', async (late) => {
  const id = await createOrder()
  const { supplier, called, release } = heldSupplier(async () => late)
  const submission = submitWith({ supplier }, id)
  await called
  await interrupt(id)
  expect(await submit(id)).toMatchObject({ body: { status: 'SENT' } })
  release()
  expect(await submission).toMatchObject({ status: 'SENT', submitError: null })
  expect(await orderRow(id)).toMatchObject({ status: 'SENT', external_id: sentFor(id)[0]?.id })
})

// A process may have been paused with the supplier's answer in its socket.

/** Submits an order of which `change` is made between the supplier's answer and its storing. */
async function submitWhile(id: number, change: (trx: Trx) => Promise<unknown>) {
  const { supplier, called, release } = heldSupplier()
  const submission = submitWith({ supplier }, id)
  await called
  await deps.db.transaction().execute(async (trx) => {
    await lockOrder(id)(trx)
    release()
    await untilWaiting(deps.db)
    await change(trx)
  })
  await submission
  return orderRow(id)
}

const set = (id: number, values: Updateable<OrderTables['orders']>) => (trx: Trx) =>
  trx.updateTable('orders').set(values).where('id', '=', id).execute()

test.each(['CANCELLED', 'COMPLETED'] as const)(
  'an acceptance leaves an order %s meanwhile, and stores its number',
  async (status) => {
    const id = await createOrder()
    const order = await submitWhile(id, set(id, { status }))
    expect(order).toMatchObject({ status, external_id: expect.any(String), submit_error: null })
  },
)

test('a refusal does not change an order that is being submitted again', async () => {
  const id = await createOrder(['unknown'])
  const order = await submitWhile(id, (trx) =>
    trx
      .insertInto('order_submit_attempts')
      .values({ order_id: id, started_at: new Date(), request: '{}', outcome: 'UNCLEAR' })
      .execute(),
  )
  expect(order).toMatchObject({ status: 'NEW', submit_error: null, sent_at: expect.any(Date) })
})
