import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { expect, test } from 'vitest'

/** Draws an image so many times at once. @returns the megabytes that the process took at most */
async function memoryOf(draws: number, image: Buffer): Promise<number> {
  const worker = new URL('../../../src/runtime/workers/image-processing.ts', import.meta.url)
  const script = `
    import { draw, inspect } from '${worker}'
    const image = Buffer.from(process.argv[1], 'base64')
    await inspect(image)
    await Promise.all(Array.from({ length: ${draws} }, () => draw(image, 160, 'webp')))
    console.log(process.resourceUsage().maxRSS / 1024)`
  const options = ['--input-type=module', '--eval', script, image.toString('base64')]
  return Number((await promisify(execFile)(process.execPath, options)).stdout)
}

test('large images are decoded one at a time, as each takes hundreds of megabytes', async () => {
  const blank = { width: 5000, height: 4000, channels: 3, background: '#456' } as const
  const image = await sharp({ create: blank }).avif({ effort: 0 }).toBuffer()
  const one = await memoryOf(1, image)
  expect(one).toBeGreaterThan(300)
  expect(await memoryOf(3, image)).toBeLessThan(one + 150)
})
