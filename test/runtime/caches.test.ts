import { expect, test } from 'vitest'
import { createCaches } from '../../src/runtime/caches.ts'

function trustedCaches() {
  const caches = createCaches()
  caches.setTrusted(true)
  return caches
}

test('a region forgets at a change of its topic, and of no other', async () => {
  const caches = trustedCaches()
  const region = caches.region<number>('catalogue')
  let loads = 0
  const load = async () => ++loads
  expect(await region.get('a', load)).toBe(1)
  caches.clear('config')
  expect(await region.get('a', load)).toBe(1)
  caches.clear('catalogue')
  expect(await region.get('a', load)).toBe(2)
})

test('a load that began before a change answers those who wait, and is not kept', async () => {
  const caches = trustedCaches()
  const region = caches.region<string>('catalogue')
  const { promise, resolve } = Promise.withResolvers<string>()
  const waiting = [region.get('a', () => promise), region.get('a', async () => 'not asked')]
  caches.clear('catalogue')
  resolve('old')
  expect(await Promise.all(waiting)).toEqual(['old', 'old'])
  expect(await region.get('a', async () => 'new')).toBe('new')
})

test('a failed load is not kept', async () => {
  const region = trustedCaches().region<string>('catalogue')
  await expect(region.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
  expect(await region.get('a', async () => 'up')).toBe('up')
})

test('nothing is kept while changes cannot be heard', async () => {
  const caches = trustedCaches()
  const region = caches.region<number>('catalogue')
  let loads = 0
  const load = async () => ++loads
  await region.get('a', load)
  caches.setTrusted(false)
  expect([await region.get('a', load), await region.get('a', load)]).toEqual([2, 3])
})

test('large answers push the oldest out long before there are a thousand', async () => {
  const region = trustedCaches().region<Buffer>('catalogue')
  const load = async () => Buffer.alloc(1024 * 1024)
  for (let n = 0; n < 100; n++) await region.get(String(n), load)
  const reloaded: number[] = []
  for (let n = 99; n >= 0; n--) {
    await region.get(String(n), async () => {
      reloaded.push(n)
      return Buffer.alloc(0)
    })
  }
  expect(reloaded).toEqual(Array.from({ length: 36 }, (_, index) => 35 - index))
})
