import { expect, test } from 'vitest'
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
const there = () => new AbortController().signal

test('who asks for the same meanwhile gets the same; afterwards it is done again', async () => {
  const flight = createSingleFlight<string>()
  const first = controlled()
  const asked = [flight.run('a', first.work, there()), flight.run('a', first.work, there())]
  const other = flight.run('b', () => Promise.resolve('b'), there())
  first.resolve('a')
  expect(await Promise.all([...asked, other])).toEqual(['a', 'a', 'b'])
  expect(first.signals).toHaveLength(1)
  expect(await flight.run('a', () => Promise.resolve('again'), there())).toBe('again')
})

test('a failure is everybody’s, and is not kept', async () => {
  const flight = createSingleFlight<string>()
  const first = controlled()
  const asked = [flight.run('a', first.work, there()), flight.run('a', first.work, there())]
  first.reject(new Error('no'))
  for (const one of asked) await expect(one).rejects.toThrow('no')
  expect(await flight.run('a', () => Promise.resolve('yes'), there())).toBe('yes')
})

test('it goes on while somebody waits, and who comes when nobody does begins anew', async () => {
  const flight = createSingleFlight<string>()
  const first = controlled()
  const [one, two] = [new AbortController(), new AbortController()]
  const asked = [flight.run('a', first.work, one.signal), flight.run('a', first.work, two.signal)]
  one.abort()
  expect(first.signals[0]?.aborted).toBe(false)
  two.abort()
  expect(first.signals[0]?.aborted).toBe(true)
  const second = controlled()
  const later = flight.run('a', second.work, there())
  first.reject(new Error('gone'))
  for (const promise of asked) await expect(promise).rejects.toThrow('gone')
  const joined = flight.run('a', first.work, there())
  second.resolve('new')
  expect(await Promise.all([later, joined])).toEqual(['new', 'new'])
})

test('who has left before is not waited for', async () => {
  const flight = createSingleFlight<string>()
  const first = controlled()
  const asked = flight.run('a', first.work, AbortSignal.abort())
  expect(first.signals[0]?.aborted).toBe(true)
  first.reject(new Error('gone'))
  await expect(asked).rejects.toThrow('gone')
})
