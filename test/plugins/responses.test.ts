import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { AppError } from '../../src/errors.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let app: TestShop['app']
const lines: Record<string, unknown>[] = []

beforeAll(async () => {
  shop = await startTestShop()
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })
  app = await buildApp(shop.deps.config, shop.deps, log)
  const config = { access: 'public' } as const
  app.post('/fail', { config }, async () => {
    throw new Error('the disk is full')
  })
  app.get('/away', { config }, async () => {
    throw new AppError(503, 'UNAVAILABLE', 'The storage does not answer', { cause: new Error('no route') })
  })
  app.get('/unreachable', { config }, async () => {
    throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:5432'), { code: 'ECONNREFUSED' })
  })
})
afterAll(async () => {
  await app.close()
  await shop.close()
})

async function logged(method: 'GET' | 'POST', url: string): Promise<Record<string, unknown>[]> {
  lines.length = 0
  await app.inject({ method, url })
  return lines
}

test('logs method, route and error of a failed request without its query', async () => {
  const asked = { method: 'POST', route: '/fail', status: 500, msg: 'request failed' }
  expect(await logged('POST', '/fail?a=1&token=s3cr3t&b=2')).toEqual([
    expect.objectContaining({ ...asked, err: expect.objectContaining({ message: 'the disk is full' }) }),
  ])
  expect(JSON.stringify(lines)).not.toContain('s3cr3t')
  const away = {
    method: 'GET',
    route: '/away',
    status: 503,
    msg: 'The storage does not answer',
    error: 'no route',
  }
  expect(await logged('GET', '/away')).toEqual([expect.objectContaining(away)])
  expect(lines[0]).not.toHaveProperty('err')
})

test('says nothing of an unexpected error', async () => {
  const { statusCode, body } = await app.inject({ method: 'POST', url: '/fail' })
  expect([statusCode, JSON.parse(body)]).toEqual([
    500,
    {
      error: 'Internal Server Error',
      code: 'INTERNAL',
      message: 'Something went wrong on our side',
      requestId: expect.any(String),
    },
  ])
})

test('logs a request without a database in a line without a stack', async () => {
  const fields = { level: 40, route: '/unreachable', status: 503, msg: 'database unavailable' }
  const [line, ...others] = await logged('GET', '/unreachable')
  expect(line).toMatchObject({ ...fields, error: 'connect ECONNREFUSED 10.0.0.5:5432' })
  expect(line).not.toHaveProperty('err')
  expect(others).toEqual([])
})

test('every response has the security headers and the id of its request', async () => {
  for (const url of ['/api/v1/products', '/api/v1/products/abc', '/nowhere', '/fail']) {
    const { headers } = await app.inject({ method: 'GET', url })
    expect(headers).toMatchObject({
      'strict-transport-security': expect.stringContaining('max-age=31536000'),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'cross-origin',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  }
})
