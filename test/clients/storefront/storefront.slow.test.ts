import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { StorefrontLimits } from '../../../src/clients/storefront/http.ts'
import { createStorefront, type Storefront } from '../../../src/clients/storefront/storefront.ts'
import { type ScriptedStorefront, startStorefront } from '../../support/storefront.ts'

let web: ScriptedStorefront
let storefront: Storefront
const never = new AbortController().signal
/** So that no timeout does what the test expects of something else. */
const PATIENT = { socket: 600_000, request: 600_000 }

beforeEach(async () => {
  web = await startStorefront()
})
afterEach(async () => {
  storefront.close()
  await web.close()
})

function open(limits: StorefrontLimits): Storefront {
  const config = { userAgent: 'TestFetcher/2.0', delayMs: 0, allowedHosts: [web.host] }
  storefront = createStorefront(config, { retryDelayMs: 1, ...limits })
  return storefront
}

test('a trickle is not asked for again', async () => {
  web.paths.set('/drip', async (_, response) => {
    response.writeHead(200)
    while (!response.destroyed) {
      response.write('.')
      await delay(20)
    }
  })
  const reading = open({ timeout: { request: 300 } }).readImage(`${web.site}/drip`, null, never)
  await expect(reading).rejects.toThrow(/ETIMEDOUT/)
  expect(web.asked.length).toBeLessThan(2)
})

test('redirects and retries count against one total', async () => {
  web.paths.set('/slow', async (_, response) => {
    await delay(200)
    response.writeHead(302, { location: '/slow' }).end()
  })
  const reading = open({ timeout: { request: 300 } }).readImage(`${web.site}/slow`, null, never)
  // Otherwise the sixth redirect would be too many.
  await expect(reading).rejects.toThrow(/ETIMEDOUT/)
})

test('the body of a redirect is not waited for', async () => {
  const closed = Promise.withResolvers<void>()
  web.paths.set('/moved', (_, response) => {
    response.on('close', closed.resolve)
    response.writeHead(302, { location: '/image', 'content-length': 1000 }).flushHeaders()
  })
  web.paths.set('/image', Buffer.from('bytes'))
  expect(await open({ timeout: PATIENT }).readImage(`${web.site}/moved`, null, never)).toEqual(Buffer.from('bytes'))
  await closed.promise
})

test('requests to a host take turns', async () => {
  let active = 0
  let most = 0
  web.paths.set('/a', async (_, response) => {
    active += 1
    most = Math.max(most, active)
    await delay(30)
    active -= 1
    response.end('bytes')
  })
  const { readImage } = open({})
  await Promise.all(Array.from({ length: 4 }, () => readImage(`${web.site}/a`, null, never)))
  expect(most).toBe(1)
})

test('an aborted request passes its turn to the next', async () => {
  web.paths.set('/silent', () => {})
  web.paths.set('/quick', Buffer.from('quick'))
  const { readImage } = open({})
  const stop = new AbortController()
  const silent = readImage(`${web.site}/silent`, null, stop.signal)
  const waiting = readImage(`${web.site}/quick`, null, stop.signal)
  await expect.poll(() => web.asked).toEqual(['/silent'])
  const next = readImage(`${web.site}/quick`, null, never)
  stop.abort(new Error('stopping'))
  await expect(silent).rejects.toThrow('stopping')
  await expect(waiting).rejects.toThrow()
  expect((await next).toString()).toBe('quick')
})

test('closes the connection of too large a body that never ends', async () => {
  const closed = Promise.withResolvers<void>()
  web.paths.set('/endless', (_request, response) => {
    response.on('close', () => closed.resolve())
    response.write(Buffer.alloc(16 * 1024 * 1024))
  })
  const patient = open({ timeout: PATIENT })
  await expect(patient.readImage(`${web.site}/endless`, null, never)).rejects.toThrow(/larger than 15 MB/)
  await closed.promise
})
