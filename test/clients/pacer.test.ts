import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPacer } from '../../src/clients/pacer.ts'

const PAUSE_MS = 100
const never = new AbortController().signal

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Runs the clock until the work is done. */
async function finished<T>(work: Promise<T>): Promise<T> {
  let pending = true
  const settled = work.finally(() => {
    pending = false
  })
  settled.catch(() => {})
  while (pending) await vi.advanceTimersByTimeAsync(1)
  return settled
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Calls that note when they begin and end. */
function noted(lengthMs: number) {
  const events: string[] = []
  const times: number[] = []
  const note = (event: string) => {
    events.push(event)
    times.push(performance.now())
  }
  const call = (name: string) => async () => {
    note(`${name} begins`)
    await delay(lengthMs)
    note(`${name} ends`)
    return name
  }
  return { events, times, call }
}

/** Starts that are at least the pause apart. */
function expectPauses(events: string[], times: number[]): void {
  const starts = times.filter((_, index) => events[index]?.endsWith('begins'))
  for (const [index, at] of starts.entries()) {
    if (index > 0) expect(at - (starts[index - 1] ?? 0)).toBeGreaterThanOrEqual(PAUSE_MS)
  }
}

test('starts urgent calls first, in order, with pauses between all starts', async () => {
  const paced = createPacer(PAUSE_MS)
  const { events, times, call } = noted(20)
  const reads = ['a', 'b', 'c'].map((name) => paced('ordinary', call(name), never))
  await vi.advanceTimersByTimeAsync(0)
  const orders = ['x', 'y'].map((name) => paced('urgent', call(name), never))
  expect(await finished(Promise.all([...reads, ...orders]))).toEqual(['a', 'b', 'c', 'x', 'y'])
  const starts = events.filter((event) => event.endsWith('begins'))
  expect(starts).toEqual(['a', 'x', 'y', 'b', 'c'].map((name) => `${name} begins`))
  expectPauses(events, times)
})

test('starts an urgent call before earlier calls have finished', async () => {
  const paced = createPacer(PAUSE_MS)
  const { events, times, call } = noted(0)
  const answer = Promise.withResolvers<void>()
  const hanging = (name: string) => async () => {
    await call(name)()
    await answer.promise
  }
  const calls: Promise<unknown>[] = [
    paced('ordinary', hanging('read'), never),
    paced('ordinary', call('next read'), never),
  ]
  await vi.advanceTimersByTimeAsync(0)
  calls.push(paced('urgent', hanging('order'), never))
  await finished(paced('urgent', call('next order'), never))
  const starts = () => events.filter((event) => event.endsWith('begins'))
  expect(starts()).toEqual(['read begins', 'order begins', 'next order begins'])
  // Longer than any pause: the next read waits for the answer to the first.
  await vi.advanceTimersByTimeAsync(3 * PAUSE_MS)
  expect(starts()).toHaveLength(3)
  answer.resolve()
  await finished(Promise.all(calls))
  expect(starts().at(-1)).toBe('next read begins')
  expectPauses(events, times)
})

test('starts the next call at once after one longer than the pause', async () => {
  const paced = createPacer(PAUSE_MS)
  const { events, call } = noted(0)
  await finished(paced('ordinary', () => delay(PAUSE_MS + 20), never))
  const next = paced('ordinary', call('next'), never)
  await vi.advanceTimersByTimeAsync(0)
  expect(events).toContain('next begins')
  await finished(next)
})

test('lets an ordinary call that is aborted while running finish', async () => {
  const paced = createPacer(0)
  const { events, call } = noted(50)
  const stop = new AbortController()
  const first = paced('ordinary', call('first'), stop.signal)
  const second = paced('ordinary', call('second'), never)
  await vi.advanceTimersByTimeAsync(10)
  stop.abort(new Error('stopping'))
  expect(await finished(Promise.all([first, second]))).toEqual(['first', 'second'])
  expect(events).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
})

test('continues after a failed call', async () => {
  const paced = createPacer(0)
  const failing = paced('ordinary', () => Promise.reject(new Error('broken')), never)
  const next = paced('ordinary', () => Promise.resolve('next'), never)
  await expect(failing).rejects.toThrow('broken')
  expect(await finished(next)).toBe('next')
})

test('rejects a call aborted in the queue at once and delays no other', async () => {
  const paced = createPacer(PAUSE_MS)
  const { events, call } = noted(50)
  const stop = new AbortController()
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const first = paced('ordinary', () => held.then(call('first')), never)
  await vi.advanceTimersByTimeAsync(0)
  const waiting = paced('urgent', call('waiting'), stop.signal)
  const reading = paced('ordinary', call('reading'), stop.signal)
  const last = paced('ordinary', call('last'), never)
  stop.abort(new Error('stopping'))
  await expect(waiting).rejects.toThrow('stopping')
  await expect(reading).rejects.toThrow('stopping')
  await expect(paced('urgent', call('late'), stop.signal)).rejects.toThrow('stopping')
  // All of that while the first one is still under way.
  expect(events).toEqual([])
  letGo()
  expect(await finished(Promise.all([first, last]))).toEqual(['first', 'last'])
  expect(events).toEqual(['first begins', 'first ends', 'last begins', 'last ends'])
})

test.each(['ordinary', 'urgent'] as const)(
  'an abort in the very moment of an %s turn holds nobody up',
  async (lane) => {
    const paced = createPacer(0)
    const stop = new AbortController()
    const first = paced(lane, () => Promise.resolve('first'), stop.signal)
    stop.abort(new Error('stopping'))
    await first.catch(() => {})
    expect(await finished(paced('urgent', () => Promise.resolve('second'), never))).toBe('second')
    expect(await finished(paced('ordinary', () => Promise.resolve('third'), never))).toBe('third')
  },
)
