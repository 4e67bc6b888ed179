import { expect, test } from 'vitest'
import { createBoundedQueue, createKeyedQueue } from '../../../src/runtime/concurrency/bounded-queue.ts'

const never = new AbortController().signal
const PATIENT = { concurrency: 1, maxWaiting: 10, timeoutMs: 60_000 }

/** Work that the test settles. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const begun = { yes: false }
  return {
    begun,
    end: resolve,
    fail: reject,
    run: () => {
      begun.yes = true
      return promise
    },
  }
}

test('runs up to `concurrency` pieces of work, the others in order', async () => {
  const queue = createBoundedQueue({ ...PATIENT, concurrency: 2 })
  const all = [work(), work(), work(), work()]
  const results = all.map(({ run }) => queue.run(run, never))
  const begun = () => all.map((one) => one.begun.yes)
  expect(begun()).toEqual([true, true, false, false])
  all[1]?.end('second')
  expect(await results[1]).toBe('second')
  expect(begun()).toEqual([true, true, true, false])
  for (const one of all) one.end('done')
  expect(await Promise.all(results)).toEqual(['done', 'second', 'done', 'done'])
})

test('rejects at once with Retry-After when full', async () => {
  const queue = createBoundedQueue({ ...PATIENT, maxWaiting: 1 })
  const [running, waiting, rejected] = [work(), work(), work()]
  const taken = [queue.run(running.run, never), queue.run(waiting.run, never)]
  await expect(queue.run(rejected.run, never)).rejects.toMatchObject({
    status: 503,
    code: 'UNAVAILABLE',
    extras: { retryAfter: expect.any(Number) },
  })
  running.end('running')
  waiting.end('waiting')
  expect(await Promise.all(taken)).toEqual(['running', 'waiting'])
  expect(rejected.begun.yes).toBe(false)
})

test('times out waiting work, not running work', async () => {
  const queue = createBoundedQueue({ ...PATIENT, timeoutMs: 50 })
  const [running, waiting] = [work(), work()]
  const taken = queue.run(running.run, never)
  await expect(queue.run(waiting.run, never)).rejects.toMatchObject({ status: 503 })
  running.end('running')
  expect(await taken).toBe('running')
  expect(waiting.begun.yes).toBe(false)
})

test('drops a request closed while it waits, and finishes one closed later', async () => {
  const queue = createBoundedQueue(PATIENT)
  const [running, leaving, next] = [work(), work(), work()]
  const [early, late] = [new AbortController(), new AbortController()]
  const first = queue.run(running.run, late.signal)
  const left = queue.run(leaving.run, early.signal)
  const last = queue.run(next.run, never)
  early.abort()
  await expect(left).rejects.toMatchObject({ status: 499 })
  await expect(queue.run(leaving.run, early.signal)).rejects.toMatchObject({ status: 499 })
  late.abort()
  expect(next.begun.yes).toBe(false)
  running.end('running')
  next.end('next')
  expect(await Promise.all([first, last])).toEqual(['running', 'next'])
  expect(leaving.begun.yes).toBe(false)
})

test('continues after failed work', async () => {
  const queue = createBoundedQueue(PATIENT)
  const [failing, next] = [work(), work()]
  const taken = [queue.run(failing.run, never), queue.run(next.run, never)]
  failing.fail(new Error('broken'))
  next.end('next')
  await expect(taken[0]).rejects.toThrow('broken')
  expect(await taken[1]).toBe('next')
})

test('a full queue of one key rejects at once, and delays no other key', async () => {
  const queue = createKeyedQueue({ concurrency: 1, maxWaiting: 1 })
  const [running, waiting, rejected, other] = [work(), work(), work(), work()]
  const taken = [queue.run('a', running.run), queue.run('a', waiting.run)]
  await expect(queue.run('a', rejected.run)).rejects.toMatchObject({ status: 429, code: 'RATE_LIMITED' })
  other.end('other')
  expect(await queue.run('b', other.run)).toBe('other')
  running.end('running')
  waiting.end('waiting')
  expect(await Promise.all(taken)).toEqual(['running', 'waiting'])
  expect(rejected.begun.yes).toBe(false)
})
