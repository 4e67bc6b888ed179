import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { describe, test } from 'vitest'
import { schedule } from '../../jobs/run-once.ts'

const EVERY_SECOND = '* * * * * *'
/** Long enough for a tick at least. */
const A_TICK_MS = 1100
const log = pino({ level: 'silent' })
const always = async () => true

describe.concurrent('a scheduled job', () => {
  test('a tick during a run is left out, and stop waits for the run', async ({ expect }) => {
    let begun = 0
    const { promise: running, resolve: end } = Promise.withResolvers<void>()
    const run = () => {
      begun += 1
      return running
    }
    const job = schedule({ name: 'slow', schedule: EVERY_SECOND, enabled: always, run }, log)
    await expect.poll(() => begun).toBe(1)
    await delay(2 * A_TICK_MS)
    expect(begun).toBe(1)
    let stopped = false
    const stopping = job.stop().then(() => {
      stopped = true
    })
    await delay(100)
    expect(stopped).toBe(false)
    end()
    await stopping
    await delay(A_TICK_MS)
    expect(begun).toBe(1)
  })

  test('a run that fails does not end the schedule, and a job that is switched off does not run', async ({
    expect,
  }) => {
    let runs = 0
    let wrong = false
    const fail = async () => {
      runs += 1
      throw new Error('no luck')
    }
    const failing = schedule({ name: 'failing', schedule: EVERY_SECOND, enabled: always, run: fail }, log)
    const run = async () => {
      wrong = true
    }
    const off = schedule({ name: 'off', schedule: EVERY_SECOND, enabled: async () => false, run }, log)
    await expect.poll(() => runs).toBeGreaterThanOrEqual(2)
    await Promise.all([failing.stop(), off.stop()])
    expect(wrong).toBe(false)
  })
})
