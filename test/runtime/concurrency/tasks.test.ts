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
