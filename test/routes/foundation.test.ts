import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

test('health answers while the database is there', async () => {
  expect((await shop.call('GET', '/health/live')).body).toEqual({ status: 'UP' })
  expect((await shop.call('GET', '/health/ready')).body).toEqual({ status: 'UP' })
})

test('an unknown path is a 401 with exactly the specified body for a caller without a token', async () => {
  for (const path of ['/no', '/no/such/path', '/api/v1/admin/nothing']) {
    const answer = await shop.call('GET', path)
    expect([answer.status, answer.text]).toEqual([401, '{"error":"Unauthorized"}'])
  }
})

test('the address of the server says where things are, to people and to programs', async () => {
  const json = await shop.call('GET', '/')
  expect([json.status, json.headers.get('vary')]).toEqual([200, 'Accept'])
  const { links }: { links: Record<string, string> } = JSON.parse(json.text)
  const page = await shop.call('GET', '/', {
    headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
  })
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  for (const path of Object.values(links)) {
    expect([path, (await shop.call('GET', path)).status]).not.toEqual([path, 401])
    expect(page.text).toContain(`<a href="${path}">`)
  }
  expect(Object.keys(links)).toEqual(expect.arrayContaining(['storefront', 'feed', 'description', 'health']))
})

test('a path that is no UTF-8 has the common error shape', async () => {
  const answer = await shop.call('GET', '/%c0%ae')
  expect(answer.status).toBe(400)
  expect(answer.body).toMatchObject({
    error: 'Bad Request',
    code: 'VALIDATION_FAILED',
    requestId: expect.any(String),
  })
})

test('bytes that are no HTTP get an answer, and the server lives on', async () => {
  const { port, hostname } = new URL(shop.url)
  const text = await new Promise<string>((resolve, reject) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.end('\x00\x01nonsense\r\n\r\n'))
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
  expect(text).toMatch(/^HTTP\/1\.1 400/)
  expect((await shop.call('GET', '/health/live')).status).toBe(200)
})

test('the API description is OpenAPI 3.1, as JSON and as YAML, and the page finds it', async () => {
  const docs = await shop.call('GET', '/v3/api-docs')
  expect(docs.body).toMatchObject({
    openapi: '3.1.0',
    paths: { '/health/ready': { get: { operationId: 'getReadiness' } } },
  })
  expect((await shop.call('GET', '/v3/api-docs.yaml')).text).toMatch(/^openapi: 3\.1\.0/)
  const page = await shop.call('GET', '/swagger-ui.html')
  expect([page.status, page.headers.get('location')]).toEqual([302, '/swagger-ui/'])
  expect((await shop.call('GET', '/swagger-ui/')).text).toContain('swagger-ui')
})

test('a route that declares no access keeps the server from starting', async () => {
  const other = await startTestShop(
    {},
    {
      prepare: (app) => void app.get('/forgotten', async () => 'seen'),
    },
  ).catch((error: unknown) => error)
  expect(String(other)).toContain('Routes without access: GET /forgotten')
})

test('a stop waits for the requests under way, and not for the connections that their clients keep', async () => {
  const { promise: underWay, resolve: begin } = Promise.withResolvers<void>()
  const slow = () => {
    begin()
    return delay(500).then(() => 'done')
  }
  const other = await startTestShop(
    {},
    { prepare: (app) => void app.get('/slow', { config: { access: 'public' } }, slow) },
  )
  const answer = other.call('GET', '/slow')
  await underWay
  const began = performance.now()
  await other.close()
  expect((await answer).text).toBe('done')
  expect(performance.now() - began).toBeLessThan(10_000)
})
