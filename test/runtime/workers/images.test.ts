import { monitorEventLoopDelay } from 'node:perf_hooks'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createImageWorker } from '../../../src/runtime/workers/images.ts'
import { newImage } from '../../support/images.ts'

const open = () => new AbortController().signal

test('too many variants for one address are a 429; closed requests are not drawn', async () => {
  const worker = createImageWorker()
  const bytes = await newImage({ width: 1500, height: 1000 }, 'jpeg')
  const controller = new AbortController()
  let read = 0
  const original = async () => {
    read += 1
    return bytes
  }
  const drawn = async () => worker.draw(await original(), 1280, 'webp')
  const outcomes = Array.from({ length: 90 }, () =>
    worker.queueVariant({ address: '192.0.2.1', signal: controller.signal }, drawn),
  )
  const settled = Promise.allSettled(outcomes)
  await outcomes[0]
  controller.abort()
  const results = await settled
  const rejections = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(rejections.filter(({ status }) => status === 429)).toHaveLength(90 - 1 - 64)
  expect(rejections.every(({ status }) => status === 429 || status === 499)).toBe(true)
  expect(read).toBe(results.length - rejections.length)
  expect(read).toBeLessThan(60)
  expect(await worker.queueVariant({ address: '192.0.2.1', signal: open() }, drawn)).toBeInstanceOf(Buffer)
})

test('variants for clients begin before those of the shop itself', async () => {
  const worker = createImageWorker()
  const held = Promise.withResolvers<void>()
  const order: string[] = []
  const turn = (name: string, address?: string) =>
    worker.queueVariant({ ...(address && { address }), signal: open() }, async () => {
      order.push(name)
      await held.promise
    })
  const turns = [
    turn('first', '192.0.2.1'),
    turn('second', '192.0.2.2'),
    turn('shop'),
    turn('third', '192.0.2.3'),
    turn('fourth', '192.0.2.4'),
  ]
  held.resolve()
  await Promise.all(turns)
  expect(order).toEqual(['first', 'second', 'third', 'fourth', 'shop'])
})

test('does not block the event loop', async () => {
  const worker = createImageWorker()
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
  const bytes = await sharp({ create: { width: 1300, height: 1000, channels: 3, background: '#888', noise } })
    .jpeg()
    .toBuffer()
  const began = performance.now()
  const delays = monitorEventLoopDelay({ resolution: 5 })
  delays.enable()
  await Promise.all([worker.inspect(bytes), worker.draw(bytes, 1280, 'avif'), worker.draw(bytes, 1280, 'jpeg')])
  delays.disable()
  // A busy machine stops all threads alike: so compared with what the work took.
  expect(delays.percentile(50) / 1e6).toBeLessThan((performance.now() - began) / 4)
})
