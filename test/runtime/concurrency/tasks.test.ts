import { expect, test, vi } from 'vitest'
import { createCoalescer, createTasks } from '../../../src/runtime/concurrency/tasks.ts'

/** Work that ends when it is told to, and says when it began. */
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

test('who joins a lane shares what runs in it; behind its end it runs anew', async () => {
  const tasks = createTasks()
  const lane = createCoalescer<string>()
  const { work, begun, end } = controlled<string>()
  const all = [tasks.join(lane, work), tasks.join(lane, work), tasks.join(lane, work)]
  end.resolve('done')
  expect(await Promise.all(all)).toEqual(['done', 'done', 'done'])
  expect(begun).toHaveBeenCalledTimes(1)
  expect(await tasks.join(lane, async () => 'again')).toBe('again')
})

test('who follows shares one more run, which begins behind the one under way even if that fails', async () => {
  const tasks = createTasks()
  const lane = createCoalescer<string>()
  const first = controlled<string>()
  const second = controlled<string>()
  const failing = tasks.runNext(lane, first.work)
  const followers = [tasks.runNext(lane, second.work), tasks.runNext(lane, second.work)]
  expect(second.begun).not.toHaveBeenCalled()
  first.end.reject(new Error('no luck'))
  await expect(failing).rejects.toThrow('no luck')
  await vi.waitFor(() => expect(second.begun).toHaveBeenCalled())
  // One that comes while the second runs is for a third.
  const third = tasks.runNext(lane, async () => 'third')
  second.end.resolve('second')
  expect(await Promise.all(followers)).toEqual(['second', 'second'])
  expect(second.begun).toHaveBeenCalledTimes(1)
  expect(await third).toBe('third')
})

test('what is to follow soon runs once for many requests, and never after a stop', async () => {
  const tasks = createTasks()
  const lane = createCoalescer<void>()
  const work = vi.fn(async () => {})
  const soon = { quietMs: 20, latestMs: 1000 }
  for (let n = 0; n < 5; n++) tasks.debounce(lane, soon, work)
  await vi.waitFor(() => expect(work).toHaveBeenCalled())
  expect(work).toHaveBeenCalledTimes(1)
  tasks.debounce(lane, soon, work)
  await tasks.stop()
  tasks.debounce(lane, soon, work)
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(work).toHaveBeenCalledTimes(1)
})

test('requests that never end put it off to the latest moment, and work that takes long leaves time to others', async () => {
  vi.useFakeTimers()
  try {
    const tasks = createTasks()
    const lane = createCoalescer<void>()
    const begun: number[] = []
    const work = () =>
      tasks.runNext(lane, async () => {
        begun.push(performance.now() - started)
        await new Promise((resolve) => setTimeout(resolve, 700))
      })
    const started = performance.now()
    for (let n = 0; n < 40; n++) {
      tasks.debounce(lane, { quietMs: 100, latestMs: 1000 }, work)
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

test('a stop ends work at once, or behind its grace, waits for all of it, and takes on nothing more', async () => {
  const tasks = createTasks()
  const prompt = controlled<void>()
  const patient = controlled<void>()
  const works = [tasks.run(prompt.work), tasks.run(patient.work, 60_000)]
  const stopped = vi.fn()
  const stop = tasks.stop().then(stopped)
  expect([prompt.signal()?.aborted, patient.signal()?.aborted]).toEqual([true, false])
  expect(tasks.stopping).toBe(true)
  await expect(tasks.run(async () => {})).rejects.toMatchObject({ status: 503, code: 'UNAVAILABLE' })
  prompt.end.reject(new Error('broken off'))
  await expect(works[0]).rejects.toThrow('broken off')
  expect(stopped).not.toHaveBeenCalled()
  patient.end.resolve()
  await Promise.all([works[1], stop])
  expect(stopped).toHaveBeenCalled()
})

test('work that outlasts its grace is ended', async () => {
  const tasks = createTasks()
  const { work, signal, end } = controlled<void>()
  const run = tasks.run(work, 20)
  const stop = tasks.stop()
  expect(signal()?.aborted).toBe(false)
  await vi.waitFor(() => expect(signal()?.aborted).toBe(true))
  end.resolve()
  await Promise.all([run, stop])
})
