import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockUsers } from '../../../db/queries/accounts/users.ts'
import { lockQuantities } from '../../../db/queries/stock/reservations.ts'
import { createUser, loginAs, PASSWORD } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { placeOrder } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let root: string
let admin: string

beforeAll(async () => {
  shop = await startTestShop()
  root = await loginAs(shop, 'SUPER_ADMIN')
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(() => shop.close())

const USERS = '/api/v1/admin/users'
const list = (query: string) => shop.call('GET', `${USERS}?${query}`, { token: admin })
const create = (token: string, body: unknown) => shop.call('POST', USERS, { token, body })
const update = (token: string, id: number, body: unknown) => shop.call('PUT', `${USERS}/${id}`, { token, body })
const remove = (token: string, id: number) => shop.call('DELETE', `${USERS}/${id}`, { token })
const login = (email: string, password: string) =>
  shop.call('POST', '/api/v1/auth/login', { body: { email, password } })
const valid = (email: string, role = 'USER') => ({
  name: 'Bo',
  email,
  role,
  phone: '+7 900',
  password: PASSWORD,
})

function emails({ body }: { body: unknown }): string[] {
  const { content } = Object(body)
  return content.map(({ email }: { email: string }) => email)
}

test('gets a user by id', async () => {
  const created = (await create(admin, valid('one@example.com'))).body as { id: number }
  expect((await shop.call('GET', `${USERS}/${created.id}`, { token: admin })).body).toEqual(created)
  expect((await shop.call('GET', `${USERS}/999999`, { token: admin })).status).toBe(404)
})

describe('create', () => {
  test('answers the user, who can log in', async () => {
    const answer = await create(admin, { ...valid(' New@Create.test ', 'MANAGER'), id: 5, tokenVersion: 9 })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.any(Number),
      name: 'Bo',
      email: 'new@create.test',
      phone: '+7 900',
      role: 'MANAGER',
      totp: false,
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect((await login('new@create.test', PASSWORD)).body).toMatchObject({ user: { role: 'MANAGER' } })
    expect((await create(admin, valid('NEW@create.test'))).body).toMatchObject({ code: 'EMAIL_TAKEN' })
  })

  test('refuses bad input', async () => {
    for (const change of [
      { name: '' },
      { email: 'nobody' },
      { password: 'short' },
      { password: 'ж'.repeat(40) },
      { password: undefined },
      { role: 'KING' },
      { role: undefined },
      { phone: 7 },
    ]) {
      expect([change, (await create(admin, { ...valid('bad@create.test'), ...change })).status]).toEqual([change, 400])
    }
  })

  test('lets only a SUPER_ADMIN create a SUPER_ADMIN', async () => {
    const refused = await create(admin, valid('super1@create.test', 'SUPER_ADMIN'))
    expect([refused.status, refused.body]).toEqual([403, expect.objectContaining({ code: 'FORBIDDEN' })])
    expect((await create(admin, valid('admin1@create.test', 'ADMIN'))).status).toBe(201)
    expect((await create(root, valid('super1@create.test', 'SUPER_ADMIN'))).status).toBe(201)
  })
})

describe('update', () => {
  test('changes the fields and keeps an absent phone and password', async () => {
    const user = await createUser(shop, 'USER', { phone: '+7 1' })
    const token = shop.app.signToken(user)
    const answer = await update(admin, user.id, { name: 'Neu', email: user.email, role: 'EDITOR' })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ id: user.id, name: 'Neu', role: 'EDITOR', phone: '+7 1' })
    expect((await shop.call('GET', '/api/v1/auth/profile', { token })).body).toMatchObject({ role: 'EDITOR' })
    const cleared = await update(admin, user.id, {
      name: 'Neu',
      email: user.email,
      role: 'EDITOR',
      phone: null,
    })
    expect(cleared.body).toMatchObject({ phone: null })
    expect((await login(user.email, PASSWORD)).status).toBe(200)
  })

  test('invalidates tokens when the password is reset', async () => {
    const user = await createUser(shop, 'USER')
    const token = shop.app.signToken(user)
    const body = { name: user.name, email: user.email, role: 'USER', password: 'given by admin' }
    expect((await update(admin, user.id, body)).status).toBe(200)
    expect((await shop.call('GET', '/api/v1/auth/profile', { token })).status).toBe(401)
    expect((await login(user.email, PASSWORD)).status).toBe(401)
    expect((await login(user.email, 'given by admin')).status).toBe(200)
  })

  test.each([
    ['whose password was reset', 'ADMIN', 401],
    ['who was demoted', 'MANAGER', 403],
  ] as const)('an ADMIN %s while the request was under way may do nothing any more', async (_what, role, status) => {
    const target = await createUser(shop, 'USER')
    const acts: ((token: string) => ReturnType<typeof create>)[] = [
      (token) => create(token, valid('late@update.test')),
      (token) => update(token, target.id, valid(target.email, 'MANAGER')),
      (token) => remove(token, target.id),
    ]
    for (const act of acts) {
      const actor = await createUser(shop, 'ADMIN')
      const boss = await createUser(shop, 'SUPER_ADMIN')
      const { db } = shop.deps
      const { reset, acted } = await whileLocked(
        db,
        (trx) => lockUsers(trx, [boss.id]),
        async () => {
          const { password: _, ...demoted } = valid(actor.email, role)
          const body = role === 'ADMIN' ? { ...demoted, password: 'given by the boss' } : demoted
          const reset = update(shop.app.signToken(boss), actor.id, body)
          await untilWaiting(db)
          // Its token was still valid; the rest waits for the row that the boss's request has locked.
          const acted = act(shop.app.signToken(actor))
          await untilWaiting(db, 2)
          return { reset, acted }
        },
      )
      expect([(await reset).status, (await acted).status]).toEqual([200, status])
    }
    expect(emails(await list('search=late@update.test'))).toEqual([])
    expect((await list(`search=${target.email}`)).body).toMatchObject({
      content: [{ id: target.id, name: target.name, role: 'USER' }],
    })
  })

  test('to a taken email is a 409 that changes nothing, in a race too', async () => {
    const [taken, ...others] = await Promise.all([1, 2, 3].map(() => createUser(shop, 'USER')))
    const body = { name: 'X', email: taken?.email.toUpperCase(), role: 'USER', password: 'some new password' }
    for (const { id, email } of others) {
      expect((await update(admin, id, body)).body).toMatchObject({ code: 'EMAIL_TAKEN' })
      expect((await login(email, PASSWORD)).status).toBe(200)
    }
    const race = { name: 'X', email: 'wanted@update.test', role: 'USER' }
    const answers = await Promise.all(others.map(({ id }) => update(admin, id, race)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('requires the required fields and an existing id', async () => {
    const { id, email } = await createUser(shop, 'USER')
    expect((await update(admin, id, { name: 'X', role: 'USER' })).status).toBe(400)
    expect((await update(admin, id, { name: 'X', email })).status).toBe(400)
    for (const path of ['2000000000', '99999999999', '0']) {
      expect((await shop.call('PUT', `${USERS}/${path}`, { token: admin, body: valid('x@update.test') })).status).toBe(
        404,
      )
    }
  })

  test('does not let an ADMIN change or create a SUPER_ADMIN', async () => {
    const top = await createUser(shop, 'SUPER_ADMIN')
    const buyer = await createUser(shop, 'USER')
    const same = { name: top.name, email: top.email, role: 'SUPER_ADMIN', password: 'taken over!' }
    expect((await update(admin, top.id, same)).status).toBe(403)
    expect((await update(admin, top.id, { ...same, role: 'USER' })).status).toBe(403)
    expect((await remove(admin, top.id)).status).toBe(403)
    expect((await update(admin, buyer.id, valid(buyer.email, 'SUPER_ADMIN'))).status).toBe(403)
    expect((await login(top.email, PASSWORD)).status).toBe(200)
    expect((await update(root, buyer.id, valid(buyer.email, 'SUPER_ADMIN'))).status).toBe(200)
    expect((await update(root, top.id, valid(top.email, 'USER'))).status).toBe(200)
  })

  test('nobody demotes themselves', async () => {
    for (const role of ['ADMIN', 'SUPER_ADMIN'] as const) {
      const self = await createUser(shop, role)
      const token = shop.app.signToken(self)
      const answer = await update(token, self.id, valid(self.email, 'MANAGER'))
      expect([answer.status, answer.body]).toEqual([409, expect.objectContaining({ code: 'OWN_ACCOUNT' })])
      expect((await update(token, self.id, { name: 'Me', email: self.email, role })).status).toBe(200)
    }
  })
})

describe('delete', () => {
  test('answers 204, then 404; the email is free again', async () => {
    const user = await createUser(shop, 'ADMIN')
    const answer = await remove(admin, user.id)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await remove(admin, user.id)).status).toBe(404)
    expect((await create(admin, valid(user.email))).status).toBe(201)
  })

  test('waits for a change of one of its orders, whoever makes it', async () => {
    const { db } = shop.deps
    const productId = await createProduct(db, { stock: 5 })
    for (const byOwner of [false, true]) {
      const owner = await createUser(shop, 'MANAGER')
      const token = shop.app.signToken(owner)
      const { id } = await placeOrder(shop, [{ productId, quantity: 1 }], { token })
      const setStatus = (status: string) =>
        shop.call('PATCH', `/api/v1/admin/orders/${id}`, { token: byOwner ? token : admin, body: { status } })
      await setStatus('CANCELLED')
      const { reopened, removed } = await whileLocked(
        db,
        (trx) => lockQuantities(trx, [productId]),
        async () => {
          // Waits for the product, holding the order.
          const reopened = setStatus('NEW')
          await untilWaiting(db)
          const removed = remove(admin, owner.id)
          await untilWaiting(db, 2)
          return { reopened, removed }
        },
      )
      expect([(await reopened).status, (await removed).status]).toEqual([200, 204])
    }
  })

  test('nobody deletes themselves', async () => {
    const self = await createUser(shop, 'SUPER_ADMIN')
    expect((await remove(shop.app.signToken(self), self.id)).body).toMatchObject({ code: 'OWN_ACCOUNT' })
  })

  test('retains one of two SUPER_ADMINs who delete or demote each other concurrently', async () => {
    const { db } = shop.deps
    for (const demotes of [false, true]) {
      const [a, b] = [await createUser(shop, 'SUPER_ADMIN'), await createUser(shop, 'SUPER_ADMIN')]
      // Both tokens were checked before either may write.
      const { first, second } = await whileLocked(
        db,
        (trx) => lockUsers(trx, [a.id, b.id]),
        async () => {
          const first = remove(shop.app.signToken(a), b.id)
          const token = shop.app.signToken(b)
          const second = demotes ? update(token, a.id, valid(a.email)) : remove(token, a.id)
          await untilWaiting(db, 2)
          return { first, second }
        },
      )
      const [one, two] = await Promise.all([first, second])
      const done = [one, two].filter(({ status }) => status < 300)
      expect([one.status, two.status, done.length]).toEqual([expect.any(Number), expect.any(Number), 1])
      const refused = [one, two].find(({ status }) => status >= 300)
      expect([401, 403]).toContain(refused?.status)
      const left = await shop.deps.db
        .selectFrom('users')
        .select('id')
        .where('id', 'in', [a.id, b.id])
        .where('role', '=', 'SUPER_ADMIN')
        .execute()
      expect(left).toHaveLength(1)
    }
  })
})
