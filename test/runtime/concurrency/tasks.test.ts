import { expect, test, vi } from 'vitest'
import { createTasks } from '../../../src/runtime/concurrency/tasks.ts'

/** Work that the test settles. */
function controlled<T>() {
  const end = Promise.withResolvers<T>()
  const begun = vi.fn()
  let seen: AbortSignal | undefined
  return {
    begun,
    end,
    signal: () => seen,
    work: (signal: AbortSignal) => {
      seen = signal
      begun()
      return end.promise
    },
  }
}

test('debounce runs once for many calls with a name, and never after a stop', async () => {
  const tasks = createTasks()
  const work = vi.fn()
  const soon = { quietMs: 20, latestMs: 1000 }
  for (let n = 0; n < 5; n++) tasks.debounce('a', soon, work)
  tasks.debounce('b', soon, work)
  await expect.poll(() => work).toHaveBeenCalledTimes(2)
  tasks.debounce('a', soon, work)
  await tasks.stop()
  tasks.debounce('a', soon, work)
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(work).toHaveBeenCalledTimes(2)
})

test('debounce starts latestMs after the first call despite further ones', async () => {
  vi.useFakeTimers()
  try {
    const tasks = createTasks()
    const begun: number[] = []
    const started = performance.now()
    const work = () => void begun.push(performance.now() - started)
    for (let n = 0; n < 30; n++) {
      tasks.debounce('a', { quietMs: 100, latestMs: 1000 }, work)
      await vi.advanceTimersByTimeAsync(50)
    }
    await vi.advanceTimersByTimeAsync(10_000)
    // The last call is at 1450.
    expect(begun).toEqual([1000, 1550])
  } finally {
    vi.useRealTimers()
  }
})

test('stop aborts work at once or after its grace period, waits for it, and rejects new work', async () => {
  const tasks = createTasks()
  const prompt = controlled<void>()
  const patient = controlled<void>()
  const works = [tasks.run(prompt.work), tasks.run(patient.work, 60_000)]
  const stopped = vi.fn()
  const stop = tasks.stop().then(stopped)
  expect([prompt.signal()?.aborted, patient.signal()?.aborted]).toEqual([true, false])
  expect(tasks.stopping).toBe(true)
  await expect(tasks.run(async () => {})).rejects.toMatchObject({ status: 503, code: 'UNAVAILABLE' })
  prompt.end.reject(new Error('aborted'))
  await expect(works[0]).rejects.toThrow('aborted')
  expect(stopped).not.toHaveBeenCalled()
  patient.end.resolve()
  await Promise.all([works[1], stop])
  expect(stopped).toHaveBeenCalled()
})

test('stop aborts work that outlasts its grace period', async () => {
  const tasks = createTasks()
  const { work, signal, end } = controlled<void>()
  const run = tasks.run(work, 20)
  const stop = tasks.stop()
  expect(signal()?.aborted).toBe(false)
  await expect.poll(() => signal()?.aborted).toBe(true)
  end.resolve()
  await Promise.all([run, stop])
})
