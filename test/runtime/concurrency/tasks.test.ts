import { expect, test, vi } from 'vitest'
import { createCoalescer, createTasks } from '../../../src/runtime/concurrency/tasks.ts'

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

test('join shares the run in progress; afterwards it starts another', async () => {
  const tasks = createTasks()
  const coalescer = createCoalescer<string>()
  const { work, begun, end } = controlled<string>()
  const all = [tasks.join(coalescer, work), tasks.join(coalescer, work), tasks.join(coalescer, work)]
  end.resolve('done')
  expect(await Promise.all(all)).toEqual(['done', 'done', 'done'])
  expect(begun).toHaveBeenCalledTimes(1)
  expect(await tasks.join(coalescer, async () => 'again')).toBe('again')
})

test('runNext shares one more run, which starts after the current one even if that fails', async () => {
  const tasks = createTasks()
  const coalescer = createCoalescer<string>()
  const first = controlled<string>()
  const second = controlled<string>()
  const failing = tasks.runNext(coalescer, first.work)
  const followers = [tasks.runNext(coalescer, second.work), tasks.runNext(coalescer, second.work)]
  expect(second.begun).not.toHaveBeenCalled()
  first.end.reject(new Error('no luck'))
  await expect(failing).rejects.toThrow('no luck')
  await expect.poll(() => second.begun).toHaveBeenCalled()
  // A call during the second run queues a third.
  const third = tasks.runNext(coalescer, async () => 'third')
  second.end.resolve('second')
  expect(await Promise.all(followers)).toEqual(['second', 'second'])
  expect(second.begun).toHaveBeenCalledTimes(1)
  expect(await third).toBe('third')
})

test('debounce runs once for many calls, and never after a stop', async () => {
  const tasks = createTasks()
  const coalescer = createCoalescer<void>()
  const work = vi.fn(async () => {})
  const soon = { quietMs: 20, latestMs: 1000 }
  for (let n = 0; n < 5; n++) tasks.debounce(coalescer, soon, work)
  await expect.poll(() => work).toHaveBeenCalled()
  expect(work).toHaveBeenCalledTimes(1)
  tasks.debounce(coalescer, soon, work)
  await tasks.stop()
  tasks.debounce(coalescer, soon, work)
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(work).toHaveBeenCalledTimes(1)
})

test('debounce starts after latestMs despite further calls, and rests after slow work', async () => {
  vi.useFakeTimers()
  try {
    const tasks = createTasks()
    const coalescer = createCoalescer<void>()
    const begun: number[] = []
    const work = () =>
      tasks.runNext(coalescer, async () => {
        begun.push(performance.now() - started)
        await new Promise((resolve) => setTimeout(resolve, 700))
      })
    const started = performance.now()
    for (let n = 0; n < 40; n++) {
      tasks.debounce(coalescer, { quietMs: 100, latestMs: 1000 }, work)
      await vi.advanceTimersByTimeAsync(50)
    }
    // The second may begin 1000 ms after the request at 1000, but not before 1700 + 700.
    expect(begun).toEqual([1000])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(begun).toEqual([1000, 2400])
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
