import { expect, test } from 'vitest'
import { type Callers, createFairQueue } from '../../../src/runtime/concurrency/fair-queue.ts'

const open = () => new AbortController().signal
const LIMITS = {
  concurrency: 2,
  maxWaiting: 10,
  timeoutMs: 60_000,
  perCaller: { concurrency: 1, maxWaiting: 4 },
}

/** A queue whose work the test ends, by name; `begun` lists the names in their order. */
function scripted(limits: Partial<typeof LIMITS> = {}) {
  const queue = createFairQueue({ ...LIMITS, ...limits })
  const begun: string[] = []
  const ends = new Map<string, { resolve(): void; reject(error: Error): void }>()
  const add = (name: string, callers: Callers, signal = open()) =>
    queue.run(
      () => {
        begun.push(name)
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        ends.set(name, { resolve, reject })
        return promise
      },
      callers,
      signal,
    )
  return {
    begun,
    add,
    /** Ends work and returns when the next has begun. */
    async end(name: string, error?: Error) {
      if (error) ends.get(name)?.reject(error)
      else ends.get(name)?.resolve()
      await new Promise(setImmediate)
    },
  }
}
const from = (...names: string[]) => ({ names: new Set(names) })
const a = () => from('a')
const b = () => from('b')
const begin = () => new Promise(setImmediate)

test('one caller never takes all places, and the others do not wait for its work', async () => {
  const { add, begun, end } = scripted()
  for (const name of ['a1', 'a2', 'a3']) void add(name, a())
  await begin()
  expect(begun).toEqual(['a1'])
  void add('b1', b())
  await begin()
  expect(begun).toEqual(['a1', 'b1'])
  await end('a1')
  expect(begun).toEqual(['a1', 'b1', 'a2'])
})

test('serves the caller who was served longest ago', async () => {
  const { add, begun, end } = scripted({ concurrency: 1 })
  for (const name of ['a1', 'a2', 'a3']) void add(name, a())
  for (const name of ['b1', 'b2']) void add(name, b())
  void add('c1', from('c'))
  await begin()
  for (const name of ['a1', 'b1', 'c1', 'a2', 'b2']) await end(name)
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('work that several wait for runs when it is the turn of any of them', async () => {
  const { add, begun, end } = scripted({ concurrency: 1 })
  const shared = a()
  for (const name of ['a1', 'a2', 'a3']) void add(name, a())
  void add('shared', shared)
  void add('b1', b())
  shared.names.add('c')
  await begin()
  await end('a1')
  expect(begun).toEqual(['a1', 'shared'])
})

test('waiting work begins at once when a caller with a free place joins', async () => {
  const { add, begun } = scripted()
  const shared: Callers & { names: Set<string> } = a()
  void add('a1', a())
  void add('shared', shared)
  await begin()
  expect(begun).toEqual(['a1'])
  shared.names.add('b')
  shared.onJoin?.()
  await begin()
  expect(begun).toEqual(['a1', 'shared'])
})

test('work for nobody begins when there is no other, or when somebody joins', async () => {
  const { add, begun, end } = scripted()
  const nobody = from()
  void add('a1', a())
  void add('ahead', nobody)
  void add('ahead too', from())
  void add('a2', a())
  await begin()
  expect(begun).toEqual(['a1'])
  await end('a1')
  expect(begun).toEqual(['a1', 'a2'])
  nobody.names.add('b')
  await end('a2')
  expect(begun).toEqual(['a1', 'a2', 'ahead'])
  await end('ahead')
  expect(begun).toEqual(['a1', 'a2', 'ahead', 'ahead too'])
  void add('b1', b())
  await begin()
  expect(begun.at(-1)).toBe('b1')
})

test('rejects what is beyond the share of a caller with 429, and beyond all places with 503', async () => {
  const { add, begun } = scripted({ maxWaiting: 6 })
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void add(name, a())
  await expect(add('a6', a())).rejects.toMatchObject({ status: 429, extras: { retryAfter: 5 } })
  for (const name of ['b1', 'b2', 'b3']) void add(name, b())
  await expect(add('c1', from('c'))).rejects.toMatchObject({ status: 503, extras: { retryAfter: 5 } })
  expect(begun).toEqual(['a1', 'b1'])
})

test('drops work whose requests are closed or that waited too long', async () => {
  const { add, begun, end } = scripted({ timeoutMs: 20, concurrency: 1 })
  const controller = new AbortController()
  void add('a1', a())
  const closed = add('closed', b(), controller.signal)
  const late = add('late', b())
  const ahead = add('ahead', from())
  controller.abort()
  await expect(closed).rejects.toMatchObject({ status: 499 })
  await expect(add('closed before', b(), controller.signal)).rejects.toMatchObject({ status: 499 })
  await expect(late).rejects.toMatchObject({ status: 503 })
  await end('a1')
  expect(begun).toEqual(['a1', 'ahead'])
  await end('ahead')
  await ahead
})

test('continues after failed work', async () => {
  const { add, begun, end } = scripted({ concurrency: 1 })
  const failed = expect(add('a1', a())).rejects.toThrow('broken')
  void add('a2', a())
  await begin()
  await end('a1', new Error('broken'))
  await failed
  expect(begun).toEqual(['a1', 'a2'])
})
