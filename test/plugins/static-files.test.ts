import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(shop.url + path, { headers, redirect: 'manual' })

test.each(['/console/', '/console/orders/12?tab=notes'])('%s is the page of the console', async (path) => {
  const response = await get(path)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const policy = response.headers.get('content-security-policy')
  expect(policy).toContain("script-src 'self';")
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(response.headers.get('cache-control')).toBe('no-cache')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await response.text()).toContain('<div id="root">')
})

test('the path without a slash leads there', async () => {
  const response = await get('/console')
  expect([response.status, response.headers.get('location')]).toEqual([302, '/console/'])
})

test('files named by their content are compressed beforehand, and stored for a year', async () => {
  const names = readdirSync(join(import.meta.dirname, '../../web/dist/assets'))
  const script = names.find((name) => name.endsWith('.js'))
  const response = await get(`/assets/${script}`, { 'accept-encoding': 'br' })
  expect([response.status, response.headers.get('content-encoding')]).toEqual([200, 'br'])
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(response.headers.get('content-type')).toContain('javascript')
})

test.each(['/assets/none.js', '/assets/..%2fpackage.json', '/assets/', '/assets/a/b'])('%s is a 404', async (path) => {
  const response = await get(path)
  expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store'])
})

test('without the console its paths are unknown', async () => {
  const without = await startTestShop({ CONSOLE_ENABLED: 'false' })
  expect((await fetch(`${without.url}/console/`)).status).toBe(401)
  await without.close()
})
