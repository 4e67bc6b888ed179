import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { expect, test } from 'vitest'

/** Draws an image so many times at once. @returns the megabytes that a process with production's options took at most */
async function memoryOf(draws: number, image: Buffer): Promise<number> {
  const worker = new URL('../../../src/runtime/workers/image-processing.ts', import.meta.url)
  const script = `
    import { draw, inspect } from '${worker}'
    const image = Buffer.from(process.argv[1], 'base64')
    await inspect(image)
    await Promise.all(Array.from({ length: ${draws} }, () => draw(image, 160, 'webp')))
    console.log(process.resourceUsage().maxRSS / 1024)`
  const options = ['--input-type=module', '--eval', script, image.toString('base64')]
  const env = { ...process.env, MALLOC_ARENA_MAX: '1' }
  return Number((await promisify(execFile)(process.execPath, options, { env })).stdout)
}

test('large images are decoded one at a time, as each takes hundreds of megabytes', async () => {
  const blank = { width: 3600, height: 3000, channels: 3, background: '#456' } as const
  const image = await sharp({ create: blank }).avif({ effort: 0 }).toBuffer()
  const one = await memoryOf(1, image)
  expect(one).toBeGreaterThan(200)
  expect(await memoryOf(4, image)).toBeLessThan(one + 200)
})
