import { expect, test, vi } from 'vitest'
import { createSingleFlight } from '../../../src/runtime/concurrency/single-flight.ts'

/** Work that the test settles. */
function controlled<T>() {
  const end = Promise.withResolvers<T>()
  const work = vi.fn(() => end.promise)
  return { work, end }
}

test('join shares the run in progress; afterwards it starts another', async () => {
  const flight = createSingleFlight<string>()
  const { work, end } = controlled<string>()
  const all = [flight.join(work), flight.join(work), flight.join(work)]
  end.resolve('done')
  expect(await Promise.all(all)).toEqual(['done', 'done', 'done'])
  expect(work).toHaveBeenCalledTimes(1)
  expect(await flight.join(async () => 'again')).toBe('again')
})

test('runNext shares one more run, which starts after the current one even if that fails', async () => {
  const flight = createSingleFlight<string>()
  const first = controlled<string>()
  const second = controlled<string>()
  const failing = flight.runNext(first.work)
  const followers = [flight.runNext(second.work), flight.runNext(second.work)]
  expect(second.work).not.toHaveBeenCalled()
  first.end.reject(new Error('no luck'))
  await expect(failing).rejects.toThrow('no luck')
  await expect.poll(() => second.work).toHaveBeenCalled()
  // A call during the second run queues a third.
  const third = flight.runNext(async () => 'third')
  second.end.resolve('second')
  expect(await Promise.all(followers)).toEqual(['second', 'second'])
  expect(second.work).toHaveBeenCalledTimes(1)
  expect(await third).toBe('third')
})

test('a call between a run and the next one joins that one', async () => {
  const flight = createSingleFlight<string>()
  const first = controlled<string>()
  const extra = vi.fn(async () => 'extra')
  void flight.join(first.work)
  const next = flight.runNext(async () => 'next')
  const between = first.end.promise.then(() => flight.join(extra))
  first.end.resolve('first')
  expect(await Promise.all([next, between])).toEqual(['next', 'next'])
  expect(extra).not.toHaveBeenCalled()
})
