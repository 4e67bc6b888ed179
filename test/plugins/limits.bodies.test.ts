import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { openSocket } from '../support/raw-http.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const KB = 1024

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

/** A JSON list of this size. */
const ofSize = (bytes: number) => `[${' '.repeat(bytes - 2)}]`

/** Sends the text as JSON and returns status and code. */
async function post(path: string, text: string, { token = '' } = {}): Promise<unknown[]> {
  const headers = { 'content-type': 'application/json' }
  const { status, body } = await shop.call('POST', path, { text, headers, ...(token && { token }) })
  return [status, Object(body).code]
}

test('the body limit of every JSON route follows from its access', () => {
  const limits = new Map<string, Set<number | undefined>>()
  for (const { config, url, bodyLimit } of shop.app.declaredRoutes) {
    const kind = url.endsWith('/import') ? 'import' : `${config?.access}`
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

test('refuses a body that is compressed or not UTF-8 instead of storing question marks', async () => {
  const send = async (body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
    const answer = await fetch(`${shop.url}${CART}`, init)
    const { code, details } = Object(await answer.json())
    return [answer.status, code, details?.[0]]
  }
  const inWindows1251 = Buffer.concat([Buffer.from('["'), Buffer.from([0xc0]), Buffer.from('"]')])
  const fault = { path: 'body', message: 'The body must be JSON in UTF-8' }
  expect(await send(inWindows1251)).toEqual([400, 'VALIDATION_FAILED', fault])
  expect(await send(gzipSync('[]'), { 'content-encoding': 'gzip' })).toEqual([400, 'VALIDATION_FAILED', fault])
  expect(await send('[]', { 'content-encoding': 'identity' })).toEqual([200, undefined, undefined])
})

const CART = '/api/v1/cart/validate'

test('reads JSON behind a byte order mark, and an empty body of an action as none', async () => {
  expect(await post('/api/v1/cart/validate', '\uFEFF[]')).toEqual([200, undefined])
  const token = await loginAs(shop, 'ADMIN')
  expect(await post('/api/v1/admin/sync/reset', '', { token })).toEqual([200, undefined])
})

test('ignores members that would change prototypes, as it ignores unknown ones', async () => {
  const headers = { 'content-type': 'application/json' }
  for (const member of ['"__proto__": {"x": 1}', '"constructor": {"prototype": {"x": 1}}']) {
    const text = `[{"productId": 999999, "quantity": 1, ${member}}]`
    const { status, body } = await shop.call('POST', '/api/v1/cart/validate', { text, headers })
    expect([status, Object(body).valid]).toEqual([200, false])
  }
})
