import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRobots } from '../../../src/clients/storefront/robots.ts'
import { StorefrontError } from '../../../src/errors.ts'

const url = new URL('http://shop.example/p')
const never = new AbortController().signal
const MINUTE_MS = 60_000

let clock = 0
beforeEach(() => {
  clock = 1
  vi.spyOn(performance, 'now').mockImplementation(() => clock)
})
afterEach(() => {
  vi.restoreAllMocks()
})

async function pass(ms: number): Promise<void> {
  clock += ms
  // The cache reads the clock once a millisecond.
  await delay(5)
}

test('reads robots.txt once an hour', async () => {
  const read = vi.fn(async () => 'User-agent: *\nDisallow: /p')
  const isAllowed = createRobots('TestFetcher', read)
  expect(await isAllowed(url, never)).toBe(false)
  await pass(59 * MINUTE_MS)
  await isAllowed(new URL('/other', url), never)
  expect(read).toHaveBeenCalledTimes(1)
  await pass(2 * MINUTE_MS)
  await isAllowed(url, never)
  expect(read).toHaveBeenCalledTimes(2)
})

test('asks again a minute after a failure, and at once after an aborted request', async () => {
  const failures = [new StorefrontError('the server answered 503', { permanent: false }), new Error('aborted')]
  const read = vi.fn(async () => {
    const failure = failures.shift()
    if (failure) throw failure
    return null
  })
  const isAllowed = createRobots('TestFetcher', read)
  await expect(isAllowed(url, never)).rejects.toThrow('503')
  await pass(0.9 * MINUTE_MS)
  await expect(isAllowed(url, never)).rejects.toThrow('503')
  expect(read).toHaveBeenCalledTimes(1)
  await pass(0.2 * MINUTE_MS)
  await expect(isAllowed(url, never)).rejects.toThrow('aborted')
  await pass(100)
  expect(await isAllowed(url, never)).toBe(true)
  expect(read).toHaveBeenCalledTimes(3)
})

const allowed = async (text: string, ...paths: string[]) => {
  const isAllowed = createRobots('TestFetcher/1.0', async () => text)
  return Promise.all(paths.map((path) => isAllowed(new URL(path, url), never)))
}

test.each([
  ['\uFEFFUser-Agent: testfetcher/2.1\nDisallow: /own\n\nUser-agent: *\nDisallow: /'],
  ['User-agent: *\rDisallow: /\rUser-agent: other\rUser-agent: TESTFETCHER # we\rDisallow: /own'],
  ['User-agent: *\r\nSitemap: /s\r\nUser-agent: TestFetcher\r\nDisallow: /own # not /open'],
  ['User-agent: TestFetcher\nAllow: /open\nUser-agent: x\nDisallow: /\nUser-agent: TestFetcher\nDisallow: /own'],
  ['User-agent: *\nAllow: /open\nDisallow: /o\nUser-agent: other\nDisallow: /open'],
])('joins the groups that name the agent, or else those for all: %j', async (text) => {
  expect(await allowed(text, '/open', '/own')).toEqual([true, false])
})

test('reads the first 500 KB, and no rule that is cut off there', async () => {
  const filler = `#${'x'.repeat(98)}\n`.repeat(5119)
  const text = `User-agent: *\nDisallow: /first\n${filler}Disallow: /cut/${'x'.repeat(1000)}\nDisallow: /late`
  expect(await allowed(text, '/first', '/cut', '/late', '/')).toEqual([false, true, true, true])
})

/** The product of agents and rules would take gigabytes. */
test('reads any number of agents and rules', async () => {
  const agents = Array.from({ length: 20_000 }, (_, n) => `User-agent: a${n}\n`).join('')
  const rules = Array.from({ length: 10_000 }, (_, n) => `Allow: /${n}\n`).join('')
  expect(await allowed(`${agents}User-agent: *\n${rules}Disallow: /p`, '/p', '/q')).toEqual([false, true])
})
