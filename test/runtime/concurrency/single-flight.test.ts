import { expect, test } from 'vitest'
import type { Callers } from '../../../src/runtime/concurrency/fair-queue.ts'
import { createSingleFlight } from '../../../src/runtime/concurrency/single-flight.ts'

function controlled() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const signals: AbortSignal[] = []
  const work = (signal: AbortSignal) => {
    signals.push(signal)
    return promise
  }
  return { work, signals, resolve, reject }
}
const open = () => ({ signal: new AbortController().signal })

test('shares one run between concurrent calls with the same key', async () => {
  const flight = createSingleFlight<string>()
  const first = controlled()
  const asked = [flight.run('a', first.work, open()), flight.run('a', first.work, open())]
  const other = flight.run('b', () => Promise.resolve('b'), open())
  first.resolve('a')
  expect(await Promise.all([...asked, other])).toEqual(['a', 'a', 'b'])
  expect(first.signals).toHaveLength(1)
  expect(await flight.run('a', () => Promise.resolve('again'), open())).toBe('again')
})

test('shares a failure; a later call starts another run', async () => {
  const flight = createSingleFlight<string>()
  const first = controlled()
  const asked = [flight.run('a', first.work, open()), flight.run('a', first.work, open())]
  first.reject(new Error('no'))
  for (const one of asked) await expect(one).rejects.toThrow('no')
  expect(await flight.run('a', () => Promise.resolve('yes'), open())).toBe('yes')
})

test('aborts when all callers have closed their requests; the next call starts another run', async () => {
  const flight = createSingleFlight<string>()
  const first = controlled()
  const [one, two] = [new AbortController(), new AbortController()]
  const asked = [flight.run('a', first.work, one), flight.run('a', first.work, two)]
  one.abort()
  expect(first.signals[0]?.aborted).toBe(false)
  two.abort()
  expect(first.signals[0]?.aborted).toBe(true)
  const second = controlled()
  const later = flight.run('a', second.work, open())
  first.reject(new Error('aborted'))
  for (const promise of asked) await expect(promise).rejects.toThrow('aborted')
  const joined = flight.run('a', first.work, open())
  second.resolve('new')
  expect(await Promise.all([later, joined])).toEqual(['new', 'new'])
})

test('ignores callers whose requests are closed already', async () => {
  const flight = createSingleFlight<string>()
  const first = controlled()
  const asked = flight.run('a', first.work, { signal: AbortSignal.abort() })
  expect(first.signals[0]?.aborted).toBe(true)
  first.reject(new Error('aborted'))
  await expect(asked).rejects.toThrow('aborted')
})

test('tells the work who waits for it, also those who join later', async () => {
  const flight = createSingleFlight<string>()
  const first = controlled()
  let callers: Callers = { names: new Set() }
  let joined = 0
  const work = (signal: AbortSignal, waiting: Callers) => {
    callers = waiting
    callers.onJoin = () => {
      joined += 1
    }
    return first.work(signal)
  }
  const asked = [flight.run('a', work, open()), flight.run('a', work, { ...open(), address: '192.0.2.1' })]
  expect([...callers.names]).toEqual(['192.0.2.1'])
  asked.push(flight.run('a', work, { ...open(), address: '192.0.2.2' }))
  expect([...callers.names]).toEqual(['192.0.2.1', '192.0.2.2'])
  expect(joined).toBe(2)
  first.resolve('a')
  expect(await Promise.all(asked)).toEqual(['a', 'a', 'a'])
})
