import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPacer } from '../../../src/clients/supplier/pacer.ts'

const PAUSE_MS = 100
const never = new AbortController().signal

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

test('an urgent call passes the ordinary ones, each lane keeps its order, and pauses lie in between', async () => {
  const paced = createPacer(PAUSE_MS)
  const { events, times, call } = noted(20)
  const results = await Promise.all([
    ...['a', 'b', 'c'].map((name) => paced('ordinary', call(name), never)),
    ...['x', 'y'].map((name) => paced('urgent', call(name), never)),
  ])
  expect(results).toEqual(['a', 'b', 'c', 'x', 'y'])
  expect(events).toEqual(['a', 'x', 'y', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]))
  for (let next = 2; next < times.length; next += 2) {
    // A timer may fire a millisecond early.
    expect((times[next] ?? 0) - (times[next - 1] ?? 0)).toBeGreaterThanOrEqual(PAUSE_MS - 2)
  }
})

test('a call that is aborted while it runs keeps its turn to its end, and what it answers counts', async () => {
  const paced = createPacer(PAUSE_MS)
  const { events, times, call } = noted(50)
  const stop = new AbortController()
  const first = paced('ordinary', call('first'), stop.signal)
  const second = paced('urgent', call('second'), never)
  await delay(10)
  stop.abort(new Error('stopping'))
  expect(await Promise.all([first, second])).toEqual(['first', 'second'])
  expect(events).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
  expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(PAUSE_MS - 2)
})

test('a call that fails gives its turn on', async () => {
  const paced = createPacer(0)
  const failing = paced('ordinary', () => Promise.reject(new Error('broken')), never)
  const next = paced('ordinary', () => Promise.resolve('next'), never)
  await expect(failing).rejects.toThrow('broken')
  expect(await next).toBe('next')
})

test('whoever is aborted before is not called, learns it at once, and holds nobody up', async () => {
  const paced = createPacer(PAUSE_MS)
  const { events, call } = noted(50)
  const stop = new AbortController()
  const first = paced('ordinary', call('first'), never)
  const waiting = paced('urgent', call('waiting'), stop.signal)
  const last = paced('ordinary', call('last'), never)
  const begun = performance.now()
  stop.abort(new Error('stopping'))
  await expect(waiting).rejects.toThrow('stopping')
  await expect(paced('urgent', call('late'), stop.signal)).rejects.toThrow('stopping')
  expect(performance.now() - begun).toBeLessThan(40)
  expect(await Promise.all([first, last])).toEqual(['first', 'last'])
  expect(events).toEqual(['first begins', 'first ends', 'last begins', 'last ends'])
})

test('an abort in the very moment of the turn holds nobody up', async () => {
  const paced = createPacer(0)
  const stop = new AbortController()
  const first = paced('ordinary', () => Promise.resolve('first'), stop.signal)
  stop.abort(new Error('stopping'))
  await first.catch(() => {})
  expect(await paced('ordinary', () => Promise.resolve('second'), never)).toBe('second')
})
