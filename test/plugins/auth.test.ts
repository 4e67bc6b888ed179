import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UserRow } from '../../db/tables/users.ts'
import { createUser, PASSWORD } from '../support/accounts.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

const profile = async (authorization: string) =>
  (await shop.call('GET', '/api/v1/auth/profile', { headers: { authorization } })).status

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Creates a valid token by hand, except for what the test changes. */
function forge(user: UserRow, { header = {}, claims = {}, hash = 'sha256', secret = '' } = {}): string {
  const now = Math.floor(Date.now() / 1000)
  const all = {
    sub: user.email,
    uid: user.id,
    role: user.role,
    ver: user.token_version,
    iat: now,
    exp: now + 60,
  }
  const text = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode({ ...all, ...claims })}`
  const key = secret || shop.deps.config.jwtSecret
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`
}

test('a token contains email, id, role and version and expires after 24 hours', async () => {
  const user = await createUser(shop, 'EDITOR')
  const claims: unknown = JSON.parse(Buffer.from(shop.app.signToken(user).split('.')[1] ?? '', 'base64url').toString())
  expect(claims).toEqual({
    sub: user.email,
    uid: user.id,
    role: 'EDITOR',
    ver: 0,
    iat: expect.any(Number),
    auth_time: expect.any(Number),
    exp: expect.any(Number),
  })
  const { iat, exp } = Object(claims)
  expect(exp - iat).toBe(86_400)
  expect(Math.abs(iat - Date.now() / 1000)).toBeLessThan(60)
})

test('accepts the scheme Bearer in any case, and an unmodified forged token', async () => {
  const user = await createUser(shop, 'USER')
  const token = shop.app.signToken(user)
  for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `BEARER ${token}`, `Bearer ${forge(user)}`]) {
    expect(await profile(authorization)).toBe(200)
  }
})

test('rejects garbage with 401', async () => {
  const token = shop.app.signToken(await createUser(shop, 'USER'))
  const headers = ['', 'Bearer', 'Bearer ', token, `Basic ${token}`, `Bearer ${token} x`, `Bearer ${token}x`]
  headers.push('Bearer a.b.c', 'Bearer ..', `Bearer ${'a'.repeat(7000)}`, `Token ${token}`, 'Bearer null')
  for (const authorization of headers)
    expect([authorization, await profile(authorization)]).toEqual([authorization, 401])
})

test('accepts HS256 with the configured secret only', async () => {
  const user = await createUser(shop, 'USER')
  const none = forge(user, { header: { alg: 'none' } })
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const text = forge(user, { header: { alg: 'RS256' } })
    .split('.')
    .slice(0, 2)
    .join('.')
  for (const token of [
    none,
    `${none.split('.').slice(0, 2).join('.')}.`,
    forge(user, { header: { alg: 'None' } }),
    forge(user, { header: { alg: 'HS384' }, hash: 'sha384' }),
    forge(user, { header: { alg: 'HS512' }, hash: 'sha512' }),
    forge(user, { header: { alg: 'RS256' } }),
    `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`,
    forge(user, { secret: 'cd'.repeat(32) }),
    // The secret is the string itself, not the bytes it encodes.
    `${text}.${createHmac('sha256', Buffer.from(shop.deps.config.jwtSecret, 'hex')).update(text).digest('base64url')}`,
  ]) {
    expect([token, await profile(`Bearer ${token}`)]).toEqual([token, 401])
  }
})

test('rejects expired, not yet valid and incomplete tokens', async () => {
  const user = await createUser(shop, 'USER')
  const now = Math.floor(Date.now() / 1000)
  for (const claims of [
    { exp: now - 5 },
    { exp: undefined },
    { nbf: now + 600 },
    { sub: undefined },
    { sub: ['a'] },
    { sub: `${user.email}\0` },
    { sub: `${user.email}\ud800` },
    { uid: undefined },
    { uid: String(user.id) },
    { uid: user.id + 1 },
    { ver: undefined },
    { ver: user.token_version + 1 },
    { sub: user.email.toUpperCase() },
  ]) {
    expect([claims, await profile(`Bearer ${forge(user, { claims })}`)]).toEqual([claims, 401])
  }
})

test('rejects the token of a user who was deleted, renamed or changed the password', async () => {
  const { db } = shop.deps
  const gone = await createUser(shop, 'USER')
  await db.deleteFrom('users').where('id', '=', gone.id).execute()
  const moved = await createUser(shop, 'USER')
  await db.updateTable('users').set({ email: 'moved@example.test' }).where('id', '=', moved.id).execute()
  const changed = await createUser(shop, 'USER')
  await db.updateTable('users').set({ token_version: 1 }).where('id', '=', changed.id).execute()
  for (const user of [gone, moved, changed]) {
    expect(await profile(`Bearer ${shop.app.signToken(user)}`)).toBe(401)
  }
  await createUser(shop, 'ADMIN', { email: gone.email })
  await createUser(shop, 'ADMIN', { email: moved.email })
  for (const user of [gone, moved]) expect(await profile(`Bearer ${shop.app.signToken(user)}`)).toBe(401)
})

test('uses the role in the database', async () => {
  const user = await createUser(shop, 'USER')
  const list = async (token: string) => (await shop.call('GET', '/api/v1/admin/users', { token })).status
  expect(await list(forge(user, { claims: { role: 'SUPER_ADMIN' } }))).toBe(403)
  const token = shop.app.signToken(user)
  await shop.deps.db.updateTable('users').set({ role: 'ADMIN' }).where('id', '=', user.id).execute()
  expect(await list(token)).toBe(200)
})

test('ignores an invalid token on public paths', async () => {
  expect((await shop.call('GET', '/health/live', { token: 'no.such.token' })).status).toBe(200)
  const user = await createUser(shop, 'USER')
  const body = { email: user.email, password: PASSWORD }
  expect((await shop.call('POST', '/api/v1/auth/login', { token: 'no.such.token', body })).status).toBe(200)
})

test('answers an unknown path with 401 without a valid token and with 404 with one', async () => {
  const token = shop.app.signToken(await createUser(shop, 'USER'))
  for (const path of ['/api/v1/auth/nothing', '/api/v1/auth', '/api/v1/admin/nothing', '/nothing']) {
    expect((await shop.call('GET', path)).text).toBe('{"error":"Unauthorized"}')
    expect((await shop.call('GET', path, { token: 'no.such.token' })).status).toBe(401)
    const answer = await shop.call('GET', path, { token })
    expect([answer.status, answer.body]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })])
  }
})
