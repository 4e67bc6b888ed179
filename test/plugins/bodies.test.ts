import { once } from 'node:events'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { openSocket } from '../support/raw-http.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const KB = 1024

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop({ TRUST_PROXY: 'loopback', RATE_LIMIT_COST: '0' })
})
afterAll(() => shop.close())

/** A JSON list of this size. */
const ofSize = (bytes: number) => `[${' '.repeat(bytes - 2)}]`

/** Sends the text as JSON and returns status and code. */
async function post(
  path: string,
  text: string,
  { to = shop, token = '', from = '192.0.2.1' } = {},
): Promise<unknown[]> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': from }
  const { status, body } = await to.call('POST', path, { text, headers, ...(token && { token }) })
  return [status, Object(body).code]
}

test('every route that takes JSON has the limit of its access', () => {
  const limits = new Map<string, Set<number | undefined>>()
  for (const { config, bodyLimit } of shop.app.declaredRoutes) {
    const kind = config?.importsFile ? 'import' : `${config?.access}`
    limits.set(kind, (limits.get(kind) ?? new Set()).add(bodyLimit))
  }
  const staff = new Set([1024 * KB])
  expect(Object.fromEntries(limits)).toEqual({
    public: new Set([64 * KB]),
    user: new Set([64 * KB]),
    EDITOR: staff,
    MANAGER: staff,
    ADMIN: staff,
    SUPER_ADMIN: staff,
    import: new Set([20 * 1024 * KB]),
  })
})

test('bodies have at most 64 KB on public routes, 1 MB on those of staff, 20 MB in imports', async () => {
  const token = await loginAs(shop, 'ADMIN')
  const tooLarge = [413, 'PAYLOAD_TOO_LARGE']
  for (const [path, limit] of [
    ['/api/v1/cart/validate', 64 * KB],
    ['/api/v1/tags', 1024 * KB],
    ['/api/v1/reviews/import', 20 * 1024 * KB],
  ] as const) {
    expect(await post(path, ofSize(limit), { token })).not.toEqual(tooLarge)
    expect(await post(path, ofSize(limit + 1), { token })).toEqual(tooLarge)
  }
})

test.each([
  ['a route of staff', '/api/v1/tags'],
  ['an import', '/api/v1/reviews/import'],
  ['an unknown path', '/api/v1/nothing'],
])('answers a stranger on %s before the body has arrived', async (_what, path) => {
  const socket = await openSocket(shop.url)
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n`
  socket.write(`${head}\r\n[`)
  const [answer] = await once(socket, 'data')
  expect(`${answer}`).toMatch(/^HTTP\/1\.1 401 /)
  socket.destroy()
})

const LARGEST = ofSize(64 * KB)
const CART = '/api/v1/cart/validate'

async function spend(to: TestShop, from: string): Promise<void> {
  for (let turn = 0; turn < 4; turn++)
    expect(await post(CART, LARGEST, { to, from })).toEqual([200, undefined])
}

test('one address may have so many bytes a second parsed; others and staff are not affected', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  const other = await startTestShop({ TRUST_PROXY: 'loopback', RATE_LIMIT_COST: '10' })
  try {
    const send = (bytes: number, from: string) => post(CART, ofSize(bytes), { to: other, from })
    await spend(other, '192.0.2.1')
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1' }
    const refused = await other.call('POST', CART, { text: ofSize(46 * KB), headers })
    expect(refused.status).toBe(429)
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBe(5)
    now.mockReturnValue(performance.now() + seconds * 1000)
    expect(await send(46 * KB, '192.0.2.1')).toEqual([200, undefined])
    expect(await send(46 * KB, '192.0.2.1')).toEqual([429, 'RATE_LIMITED'])

    await spend(other, '192.0.2.2')
    await spend(other, '2001:db8::1')
    expect(await send(KB, '2001:db8::2')).toEqual([429, 'RATE_LIMITED'])

    const token = await loginAs(other, 'EDITOR')
    for (let turn = 0; turn < 9; turn++) {
      const answer = await post('/api/v1/tags', LARGEST, { to: other, token })
      expect(answer).toEqual([400, 'VALIDATION_FAILED'])
    }
  } finally {
    now.mockRestore()
    await other.close()
  }
})

test('refusals of bodies beyond the budget are sent late, those of a network within it at once', async () => {
  const other = await startTestShop({ TRUST_PROXY: 'loopback', RATE_LIMIT_COST: '1' })
  const refused = async (path: string, from: string) => {
    const began = performance.now()
    const answer = await post(path, '[]', { to: other, from })
    return [...answer, performance.now() - began >= 900]
  }
  try {
    await spend(other, '192.0.2.1')
    for (const [path, ...answer] of [
      ['/api/v1/tags', 401, undefined],
      ['/api/v1/nothing', 401, undefined],
    ] as const) {
      expect(await refused(path, '192.0.2.2')).toEqual([...answer, false])
      expect(await refused(path, '192.0.2.1')).toEqual([...answer, true])
    }
    expect(await refused(CART, '192.0.2.1')).toEqual([200, undefined, false])
  } finally {
    await other.close()
  }
})
