import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockUsers } from '../../db/queries/accounts/users.ts'
import type { UserRow } from '../../db/tables/users.ts'
import { createTasks } from '../../src/runtime/concurrency/tasks.ts'
import { updateProfile } from '../../src/services/accounts/auth.ts'
import { login as verifyLogin } from '../../src/services/accounts/logins.ts'
import { createUser, loginAs, PASSWORD } from '../support/accounts.ts'
import { openEvents } from '../support/events.ts'
import { untilWaiting, whileLocked } from '../support/locks.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'
import { overhear } from '../support/statements.ts'

/** `PASSWORD` hashed at the production cost. */
const SLOW_HASH = '$2b$10$2.1K0Kd6WSheb5b7DlNjQeoKU0XWvEntC4FvTQxXY6z.gS.qgHzG6'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_REGISTER: '0' })
})
afterAll(() => shop.close())

const MANAGERS = ['content', 'categories', 'orders', 'contacts']

const post = (path: string, body: unknown) => shop.call('POST', `/api/v1/auth/${path}`, { body })
const put = (path: string, token: string, body: unknown) => shop.call('PUT', `/api/v1/auth/${path}`, { token, body })
const profile = (token: string) => shop.call('GET', '/api/v1/auth/profile', { token })
const login = (email: string, password: string) => post('login', { email, password })

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function tokenOf({ body }: { body: unknown }): string {
  if (typeof body === 'object' && body !== null && 'token' in body) return String(body.token)
  throw new Error(`no token in ${JSON.stringify(body)}`)
}

describe('register', () => {
  test('answers a token at once, for a user of role USER, whatever the body asks for', async () => {
    const answer = await post('register', {
      id: 77,
      name: '  Анна\r\nПетрова ',
      email: '  Anna@Example.TEST ',
      password: PASSWORD,
      role: 'SUPER_ADMIN',
      token_version: 5,
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      token: expect.any(String),
      user: { id: expect.any(Number), name: 'Анна Петрова', email: 'anna@example.test', role: 'USER', permissions: [] },
    })
    expect((await profile(tokenOf(answer))).body).toMatchObject({ email: 'anna@example.test', role: 'USER' })
    expect((await login('ANNA@example.test', PASSWORD)).status).toBe(200)
    const { password_hash } = await shop.deps.db
      .selectFrom('users')
      .select('password_hash')
      .where('email', '=', 'anna@example.test')
      .executeTakeFirstOrThrow()
    expect(password_hash).toMatch(/^\$2b\$/)
  })

  test.each([
    [{}, 'name'],
    [{ name: '', email: 'a@example.test', password: PASSWORD }, 'name'],
    [{ name: ' \t ', email: 'a@example.test', password: PASSWORD }, 'name'],
    [{ name: '\u0001\u200b', email: 'a@example.test', password: PASSWORD }, 'name'],
    [{ name: 'n'.repeat(101), email: 'a@example.test', password: PASSWORD }, 'name'],
    [{ name: 7, email: 'a@example.test', password: PASSWORD }, 'name'],
    [{ name: 'A\0', email: 'a@example.test', password: PASSWORD }, 'name'],
    [{ name: 'A\ud800', email: 'a@example.test', password: PASSWORD }, 'name'],
    [{ name: 'A', email: 'nonsense', password: PASSWORD }, 'email'],
    [{ name: 'A', email: ['a@example.test'], password: PASSWORD }, 'email'],
    [{ name: 'A', email: 'İ@example.test', password: PASSWORD }, 'email'],
    [{ name: 'A', email: 'анна@почта.рф', password: PASSWORD }, 'email'],
    [{ name: 'A', email: `${'a'.repeat(300)}@example.test`, password: PASSWORD }, 'email'],
    [{ name: 'A', email: 'a@example.test', password: '1234567' }, 'password'],
    [{ name: 'A', email: 'a@example.test', password: 'x'.repeat(73) }, 'password'],
    [{ name: 'A', email: 'a@example.test', password: 'ж'.repeat(37) }, 'password'],
  ])('refuses %j, naming %s', async (body, field) => {
    const answer = await post('register', body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: expect.arrayContaining([expect.objectContaining({ path: expect.stringContaining(field) })]),
    })
  })

  test('takes an address as people see it, at the login too', async () => {
    const answer = await post('register', { name: 'Оля', email: '\u200FOlya@Почта.рф', password: PASSWORD })
    expect(answer).toMatchObject({ status: 201, body: { user: { email: 'olya@xn--80a1acny.xn--p1ai' } } })
    for (const email of ['olya@почта.рф', 'OLYA@ПОЧТА.РФ\u200B', 'olya@xn--80a1acny.xn--p1ai']) {
      expect((await login(email, PASSWORD)).status).toBe(200)
      expect((await post('register', { name: 'Оля', email, password: PASSWORD })).status).toBe(409)
    }
  })

  test('registers an address once under concurrent requests', async () => {
    const answers = await Promise.all(
      ['race@example.test', 'RACE@example.test', ' race@Example.test', 'race@example.test'].map((email) =>
        post('register', { name: 'Racer', email, password: PASSWORD }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'EMAIL_TAKEN' })
  })
})

describe('login', () => {
  test('answers token and user', async () => {
    const user = await createUser(shop, 'MANAGER')
    const answer = await login(` ${user.email.toUpperCase()} `, PASSWORD)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      token: expect.any(String),
      user: { id: user.id, name: user.name, email: user.email, role: 'MANAGER', permissions: MANAGERS },
    })
  })

  test('gives the same response for an unknown email and a wrong password', async () => {
    const { email } = await createUser(shop, 'USER')
    for (const [who, password] of [
      [email, 'wrong password'],
      [email, ''],
      [email, `${PASSWORD} `],
      ['nobody@example.test', PASSWORD],
      ['no address', PASSWORD],
    ] as const) {
      const answer = await login(who, password)
      expect([answer.status, answer.text]).toEqual([401, '{"error":"Unauthorized"}'])
    }
  })

  test('takes as long for an unknown or missing email as for a wrong password', async () => {
    const users = await Promise.all(
      Array.from({ length: 3 }, () => createUser(shop, 'USER', { passwordHash: SLOW_HASH })),
    )
    // Of all threads of this process, whatever else the machine does.
    const processorTime = async (email: string) => {
      const before = process.cpuUsage()
      expect((await login(email, 'wrong password')).status).toBe(401)
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    const known: number[] = []
    const unknown: number[] = []
    const noAddress: number[] = []
    for (const { email, id } of users) {
      known.push(await processorTime(email))
      unknown.push(await processorTime(`nobody-${id}@example.test`))
      noAddress.push(await processorTime(`no address ${id}`))
    }

    for (const other of [unknown, noAddress]) {
      // Without a hash it would be a tenth.
      expect(median(other) / median(known)).toBeGreaterThan(0.3)
      expect(median(other) / median(known)).toBeLessThan(3)
    }
  })

  test('runs the same statements for an unknown email as for a wrong password', async () => {
    const { email } = await createUser(shop, 'USER')
    const overheard = overhear(shop.deps.config.databaseUrl)
    const statements = async (email: string) => {
      const heard = await overheard.statementsOf(async (db) => {
        const tasks = createTasks()
        const refused = verifyLogin(
          { ...shop.deps, db, tasks },
          { email, password: 'wrong' },
          { address: '192.0.2.1', userAgent: undefined },
        )
        await expect(refused).rejects.toMatchObject({ status: 401 })
        await tasks.stop()
      })
      return heard.map(({ sql }) => sql)
    }
    const known = await statements(email)
    expect(known.length).toBeGreaterThan(2)
    expect(await statements('nobody@statements.test')).toEqual(known)
    await overheard.close()
  })

  test('rejects a longer password that begins with the right one', async () => {
    const password = 'p'.repeat(72)
    await post('register', { name: 'Long', email: 'long@example.test', password })
    expect((await login('long@example.test', password)).status).toBe(200)
    expect((await login('long@example.test', `${password}x`)).status).toBe(401)
  })

  test('refuses bodies that are none', async () => {
    for (const body of [{}, [], 'text', { email: 1, password: 2 }, { email: 'a@example.test' }]) {
      expect((await post('login', body)).status).toBe(400)
    }
    expect((await login('a@example.test', 'x'.repeat(1001))).status).toBe(400)
  })

  test('hashes in other threads than that of the event loop', async () => {
    const { email } = await createUser(shop, 'USER', { passwordHash: SLOW_HASH })
    await login(email, PASSWORD)
    const [all, loop] = [process.cpuUsage(), process.threadCpuUsage()]
    const logins = await Promise.all(Array.from({ length: 8 }, () => login(email, PASSWORD)))
    const share = process.threadCpuUsage(loop).user / process.cpuUsage(all).user
    expect(logins.every(({ status }) => status === 200)).toBe(true)
    // Eight hashes take half a second of a processor; the requests take little of that.
    expect(share).toBeLessThan(0.5)
  })
})

describe('refresh', () => {
  const refresh = (token: string) => shop.call('POST', '/api/v1/auth/refresh', { token })
  const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  const tokenOfLogin = (user: UserRow, daysAgo: number) =>
    shop.app.signToken(user, Math.floor(Date.now() / 1000 - daysAgo * 86_400))

  test('answers a new token of the same login', async () => {
    const user = await createUser(shop, 'MANAGER')
    const token = tokenOfLogin(user, 29.9)
    const answer = await refresh(token)
    expect(answer).toMatchObject({ status: 200, body: { user: { id: user.id, permissions: MANAGERS } } })
    const [before, after] = [claimsOf(token), claimsOf(tokenOf(answer))]
    expect(after).toMatchObject({ auth_time: before.auth_time, ver: before.ver, uid: user.id })
    expect(after.exp - after.iat).toBe(86_400)
    expect((await profile(tokenOf(answer))).body).toMatchObject({ id: user.id, permissions: MANAGERS })
  })

  test('ends 30 days after the login, with the token, and with the password', async () => {
    const user = await createUser(shop, 'USER')
    const { sub, uid, ver } = claimsOf(shop.app.signToken(user))
    const month = 30 * 86_400
    for (const [token, status] of [
      [tokenOfLogin(user, 30.1), 401],
      // A token of 1.0.0 has only the time of its creation.
      [shop.app.jwt.sign({ sub, uid, ver }), 200],
      [
        shop.app.jwt.sign({ sub, uid, ver, iat: Math.floor(Date.now() / 1000) - month - 60 }, { expiresIn: 2 * month }),
        401,
      ],
      [shop.app.jwt.sign({ sub, uid, ver: ver + 1 }), 401],
    ] as const) {
      expect((await refresh(token)).status).toBe(status)
    }
    expect((await profile(tokenOfLogin(user, 30.1))).status).toBe(200)
    expect((await shop.call('POST', '/api/v1/auth/refresh')).status).toBe(401)
  })
})

describe('profile', () => {
  test('shows and changes the own name and phone, and nothing else', async () => {
    const user = await createUser(shop, 'USER', { phone: '+7 900' })
    const token = shop.app.signToken(user)
    const { body } = await profile(token)
    expect(body).toEqual({
      id: user.id,
      name: user.name,
      email: user.email,
      phone: '+7 900',
      role: 'USER',
      permissions: [],
      totp: false,
      createdAt: user.created_at.toISOString(),
      updatedAt: user.updated_at.toISOString(),
    })
    const change = {
      name: ' Bo ',
      role: 'ADMIN',
      email: 'other@example.test',
      id: 1,
      password: 'something else',
    }
    expect((await put('profile', token, change)).body).toMatchObject({
      id: user.id,
      name: 'Bo',
      phone: '+7 900',
      email: user.email,
      role: 'USER',
    })
    expect((await put('profile', token, { name: 'Bo', phone: ' ' })).body).toMatchObject({ phone: null })
    expect((await profile(token)).body).toMatchObject({ name: 'Bo', phone: null })
  })

  test('requires a name and a token', async () => {
    const token = await loginAs(shop, 'USER')
    for (const body of [{}, { name: ' ' }, { name: 'Bo', phone: 5 }, { name: 'Bo', phone: '1'.repeat(51) }]) {
      expect((await put('profile', token, body)).status).toBe(400)
    }
    expect((await shop.call('GET', '/api/v1/auth/profile')).status).toBe(401)
    expect((await shop.call('PUT', '/api/v1/auth/profile', { body: { name: 'Bo' } })).status).toBe(401)
    expect((await shop.call('GET', '/api/v1/auth/nothing')).text).toBe('{"error":"Unauthorized"}')
  })
})

test('an account that was deleted while the request was under way has no profile any more', async () => {
  const user = await createUser(shop, 'USER')
  await shop.deps.db.deleteFrom('users').where('id', '=', user.id).execute()
  await expect(updateProfile(shop.deps, user, { name: 'Late' })).rejects.toMatchObject({ status: 401 })
})

describe('change of password', () => {
  test('invalidates all tokens and returns a new one', async () => {
    const user = await createUser(shop, 'USER')
    const token = shop.app.signToken(user)
    const body = { currentPassword: PASSWORD, newPassword: 'another password' }
    const live = await openEvents(shop.url)
    await live.subscribe(['my-orders'], token)
    const answer = await put('change-password', token, body)
    expect(answer.status).toBe(200)
    expect(await live.closed).toBe(4401)
    expect(answer.body).toMatchObject({ user: { id: user.id, email: user.email } })
    expect((await profile(token)).status).toBe(401)
    expect((await profile(tokenOf(answer))).status).toBe(200)
    expect((await login(user.email, PASSWORD)).status).toBe(401)
    expect((await login(user.email, 'another password')).status).toBe(200)
  })

  test('refuses a wrong current and a bad new password, and changes nothing', async () => {
    const token = await loginAs(shop, 'USER')
    for (const [currentPassword, newPassword, path] of [
      ['wrong password', 'another password', 'currentPassword'],
      [PASSWORD, 'short', 'newPassword'],
      [PASSWORD, 'ж'.repeat(37), 'newPassword'],
    ]) {
      const answer = await put('change-password', token, { currentPassword, newPassword })
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ details: [{ path }] })
    }
    expect((await profile(token)).status).toBe(200)
  })

  test('accepts one of two concurrent changes', async () => {
    const user = await createUser(shop, 'USER')
    const token = shop.app.signToken(user)
    const { db } = shop.deps
    // Both have shown the current password before either may write the new one.
    const { changes } = await whileLocked(
      db,
      (trx) => lockUsers(trx, [user.id]),
      async () => {
        const changes = ['password 1', 'password 2'].map((newPassword) =>
          put('change-password', token, { currentPassword: PASSWORD, newPassword }),
        )
        await untilWaiting(db, 2)
        return { changes }
      },
    )
    const statuses = (await Promise.all(changes)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 401])
    for (const [index, status] of statuses.entries()) {
      expect((await login(user.email, `password ${index + 1}`)).status).toBe(status)
    }
  })
})
