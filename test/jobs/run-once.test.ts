import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { schedule } from '../../jobs/run-once.ts'

const EVERY_SECOND = '* * * * * *'
const log = pino({ level: 'silent' })
const always = async () => true

test('a tick during a run is left out, and stop waits for the run', async () => {
  let begun = 0
  let ended = 0
  const job = schedule(
    {
      name: 'slow',
      schedule: EVERY_SECOND,
      enabled: always,
      run: async () => {
        begun += 1
        await delay(2300)
        ended += 1
      },
    },
    log,
  )
  await delay(2600)
  expect(begun).toBe(1)
  await job.stop()
  expect([begun, ended]).toEqual([1, 1])
  await delay(1200)
  expect(begun).toBe(1)
})

test('a run that fails does not end the schedule, and a job that is switched off does not run', async () => {
  let runs = 0
  const failing = schedule(
    {
      name: 'failing',
      schedule: EVERY_SECOND,
      enabled: always,
      run: async () => {
        runs += 1
        throw new Error('no luck')
      },
    },
    log,
  )
  let wrong = false
  const off = schedule(
    {
      name: 'off',
      schedule: EVERY_SECOND,
      enabled: async () => false,
      run: async () => {
        wrong = true
      },
    },
    log,
  )
  await delay(2200)
  await Promise.all([failing.stop(), off.stop()])
  expect(runs).toBeGreaterThanOrEqual(2)
  expect(wrong).toBe(false)
})
