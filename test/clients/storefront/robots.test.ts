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
  const robots = createRobots('TestFetcher', read)
  expect((await robots.rulesFor(url, never)).allows(url)).toBe(false)
  await pass(59 * MINUTE_MS)
  await robots.rulesFor(new URL('/other', url), never)
  expect(read).toHaveBeenCalledTimes(1)
  await pass(2 * MINUTE_MS)
  await robots.rulesFor(url, never)
  expect(read).toHaveBeenCalledTimes(2)
})

test('asks again a minute after a failure, and at once after an aborted request', async () => {
  const failures = [new StorefrontError('the server answered 503', { permanent: false }), new Error('aborted')]
  const read = vi.fn(async () => {
    const failure = failures.shift()
    if (failure) throw failure
    return null
  })
  const robots = createRobots('TestFetcher', read)
  await expect(robots.rulesFor(url, never)).rejects.toThrow('503')
  await pass(0.9 * MINUTE_MS)
  await expect(robots.rulesFor(url, never)).rejects.toThrow('503')
  expect(read).toHaveBeenCalledTimes(1)
  await pass(0.2 * MINUTE_MS)
  await expect(robots.rulesFor(url, never)).rejects.toThrow('aborted')
  await pass(100)
  expect((await robots.rulesFor(url, never)).allows(url)).toBe(true)
  expect(read).toHaveBeenCalledTimes(3)
})
