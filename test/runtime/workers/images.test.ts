import { monitorEventLoopDelay } from 'node:perf_hooks'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createImageWorker } from '../../../src/runtime/workers/images.ts'
import { newImage } from '../../support/images.ts'

const there = () => new AbortController().signal

test('more variants than can be made soon are a 503; what nobody waits for is not made', async () => {
  const pictures = createImageWorker()
  const bytes = await newImage({ width: 1500, height: 1000 }, 'jpeg')
  const gone = new AbortController()
  let read = 0
  const original = async () => {
    read += 1
    return bytes
  }
  const outcomes = Array.from({ length: 90 }, () => pictures.draw(original, 1280, 'webp', gone.signal))
  const settled = Promise.allSettled(outcomes)
  await outcomes[0]
  gone.abort()
  const results = await settled
  const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(refusals.filter(({ status }) => status === 503).length).toBeGreaterThanOrEqual(20)
  expect(refusals.every(({ status }) => status === 503 || status === 499)).toBe(true)
  expect(read).toBe(results.length - refusals.length)
  expect(read).toBeLessThan(60)
  expect(await pictures.draw(original, 160, 'webp', there())).toBeInstanceOf(Buffer)
}, 60_000)

test('an original that is gone has no variants', async () => {
  expect(await createImageWorker().draw(async () => null, 160, 'avif', there())).toBeNull()
})

test('the event loop goes on meanwhile', async () => {
  const pictures = createImageWorker()
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
  const bytes = await sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#888', noise } })
    .jpeg()
    .toBuffer()
  const began = performance.now()
  const delays = monitorEventLoopDelay({ resolution: 5 })
  delays.enable()
  await Promise.all([
    pictures.inspect(bytes),
    pictures.draw(async () => bytes, 1920, 'avif', there()),
    pictures.draw(async () => bytes, 1280, 'jpeg', there()),
  ])
  delays.disable()
  // A busy machine stops all threads alike: so compared with what the work took.
  expect(delays.percentile(50) / 1e6).toBeLessThan((performance.now() - began) / 4)
}, 60_000)
