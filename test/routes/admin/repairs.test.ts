import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { enqueueMail } from '../../../db/queries/mail/outbox.ts'
import { generateCatalogue } from '../../../demo/generate.ts'
import { deliverDueMails } from '../../../src/services/mail/mail.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import type { TestShop } from '../../support/shop.ts'
import { startSupplierShop } from '../../support/supplier-shop.ts'

let world: Awaited<ReturnType<typeof startSupplierShop>>
let shop: TestShop
let token: string

beforeAll(async () => {
  world = await startSupplierShop({}, generateCatalogue({ products: 20, seed: 1 }))
  shop = world.shop
  token = await loginAs(shop, 'ADMIN')
})
afterAll(() => world.close())

const call = (method: string, path: string, body?: unknown) =>
  shop.call(method, `/api/v1/admin/${path}`, { token, ...(body !== undefined && { body }) })

async function lastAudit(entity: string): Promise<object> {
  const { body } = await call('GET', `audit?entity=${entity}&size=1`)
  return Object(body).content[0]
}

describe('mails', () => {
  async function newMail(values: object): Promise<number> {
    const { db } = shop.deps
    const mail = { recipient: 'boss@example.test', subject: 'Hello', body: 'A secret text' }
    await db.transaction().execute((trx) => enqueueMail(trx, mail))
    const { id } = await db.selectFrom('mails').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()
    await db
      .updateTable('mails')
      .set({ status: 'PENDING', ...values })
      .where('id', '=', id)
      .execute()
    return id
  }

  test('are listed without their texts, the newest first, by state', async () => {
    const failed = await newMail({ status: 'FAILED', attempts: 10, last_error: '550 no such mailbox' })
    const pending = await newMail({})
    const { body, text } = await call('GET', 'mails')
    expect(
      Object(body)
        .map(({ id }: { id: number }) => id)
        .slice(0, 2),
    ).toEqual([pending, failed])
    expect(text).not.toContain('A secret text')
    expect((await call('GET', 'mails?status=FAILED')).body).toEqual([
      {
        id: failed,
        recipient: 'boss@example.test',
        subject: 'Hello',
        status: 'FAILED',
        attempts: 10,
        nextAttemptAt: null,
        lastError: '550 no such mailbox',
        createdAt: expect.stringMatching(/Z$/),
        sentAt: null,
      },
    ])
    expect((await call('GET', 'mails?status=LOST')).status).toBe(400)
  })

  test('are sent again after a retry, once', async () => {
    const id = await newMail({ status: 'FAILED', attempts: 10 })
    expect((await call('POST', `mails/${id}/retry`)).body).toMatchObject({ status: 'PENDING', attempts: 0 })
    expect(await lastAudit('MAIL')).toMatchObject({ entityId: String(id), before: { status: 'FAILED' } })
    await deliverDueMails(shop.deps)
    const { body } = await call('GET', 'mails?status=SENT')
    expect(body).toContainEqual(expect.objectContaining({ id, sentAt: expect.any(String) }))
    const again = await call('POST', `mails/${id}/retry`)
    expect([again.status, Object(again.body).code]).toEqual([409, 'MAIL_SENT'])
  })

  test('are not sent after a deletion', async () => {
    const id = await newMail({})
    expect((await call('DELETE', `mails/${id}`)).status).toBe(204)
    expect(await lastAudit('MAIL')).toMatchObject({ entityId: String(id), action: 'DELETE' })
    expect((await call('DELETE', `mails/${id}`)).status).toBe(404)
    expect((await call('POST', `mails/${id}/retry`)).status).toBe(404)
  })
})

describe('login blocks', () => {
  const login = (email: string, password: string) =>
    shop.call('POST', '/api/v1/auth/login', { body: { email, password } })

  test('name email and address, and can be lifted', async () => {
    const user = await createUser(shop, 'MANAGER')
    for (let n = 0; n < 9; n++) await login(user.email, 'wrong password')
    expect((await call('GET', 'login-blocks')).body).toEqual([])
    await login(user.email, 'wrong password')
    expect((await login(user.email, 'wrong password')).status).toBe(429)
    const { body } = await call('GET', 'login-blocks')
    expect(body).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        kind: 'PAIR',
        email: user.email,
        address: '127.0.0.1',
        failures: 10,
        until: expect.stringMatching(/Z$/),
      },
    ])
    const { rateLimits } = shop.deps.config
    const { loginPair } = rateLimits
    rateLimits.loginPair = 0
    expect((await call('GET', 'login-blocks')).body).toEqual([])
    rateLimits.loginPair = loginPair
    const path = `login-blocks/${Object(body)[0].id}`
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await login(user.email, 'wrong password')).status).toBe(401)
    expect((await call('GET', 'login-blocks')).body).toEqual([])
    expect(await lastAudit('LOGIN_BLOCK')).toMatchObject({
      action: 'DELETE',
      before: { kind: 'PAIR', email: user.email, failures: 10 },
    })
  })

  test('of other counters are not touched', async () => {
    expect((await call('DELETE', `login-blocks/${'0'.repeat(32)}`)).status).toBe(404)
    expect((await call('DELETE', 'login-blocks/1')).status).toBe(404)
  })
})

describe('deleted products', () => {
  test('come back with the next sync once they are restored', async () => {
    const { db } = shop.deps
    const sync = () => shop.call('POST', '/api/v1/admin/sync/run?wait=true', { token })
    await sync()
    const product = await db
      .selectFrom('products')
      .selectAll()
      .where('external_id', 'is not', null)
      .executeTakeFirstOrThrow()
    await shop.call('DELETE', `/api/v1/products/${product.id}`, { token })
    await sync()
    const externalId = product.external_id ?? ''
    expect((await call('GET', 'deleted-products')).body).toEqual([
      { externalId, name: product.name, deletedAt: expect.stringMatching(/Z$/) },
    ])
    const path = `deleted-products/${encodeURIComponent(externalId)}/restore`
    expect((await call('POST', path)).body).toMatchObject({ externalId })
    expect((await call('POST', path)).status).toBe(404)
    expect((await call('GET', 'deleted-products')).body).toEqual([])
    await sync()
    const back = await db.selectFrom('products').select('name').where('external_id', '=', externalId).execute()
    expect(back).toEqual([{ name: product.name }])
    expect(await lastAudit('DELETED_PRODUCT')).toMatchObject({ entityId: externalId })
  })

  test('of the shop itself are not listed', async () => {
    const id = await createProduct(shop.deps.db, { externalId: null })
    await shop.call('DELETE', `/api/v1/products/${id}`, { token })
    expect((await call('GET', 'deleted-products')).body).toEqual([])
  })
})

test('what operators start is audited', async () => {
  await call('POST', 'sync/run?wait=true&acceptVanished=true')
  expect(await lastAudit('SYNC')).toMatchObject({ action: 'CREATE', after: { acceptVanished: true } })
  await call('POST', 'sync/reset')
  expect(await lastAudit('SYNC')).toMatchObject({ entityId: 'reset', action: 'DELETE' })
  await call('POST', 'jobs/purge/run')
  expect(await lastAudit('JOB')).toMatchObject({ entityId: 'purge', after: { runId: expect.any(Number) } })
})
