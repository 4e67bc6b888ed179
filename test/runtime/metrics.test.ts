import { expect, test } from 'vitest'
import { createFigures } from '../../src/runtime/metrics.ts'

const ignore = () => {}

test('shares a read among concurrent and later calls until it is too old', async () => {
  let reads = 0
  const read = async () => ++reads
  const figures = createFigures(read, ignore)
  expect(await Promise.all([figures(), figures()])).toEqual([1, 1])
  expect(await figures()).toBe(1)
  const shortLived = createFigures(read, ignore, 1)
  expect(await Promise.all([shortLived(), shortLived()])).toEqual([2, 2])
  await expect.poll(shortLived).toBeGreaterThan(2)
})

test('returns null when the read fails, and reports that once', async () => {
  const logged: unknown[] = []
  const down = new Error('down')
  const figures = createFigures(
    () => Promise.reject(down),
    (error) => logged.push(error),
  )
  expect([await figures(), await figures()]).toEqual([null, null])
  expect(logged).toEqual([down])
})

test('does not wait for a read that hangs, and starts no other', async () => {
  let reads = 0
  const hanging = () => {
    reads += 1
    return new Promise<number>(() => {})
  }
  const figures = createFigures(hanging, ignore, 1)
  expect(await Promise.all([figures(), figures()])).toEqual([null, null])
  expect(reads).toBe(1)
})
