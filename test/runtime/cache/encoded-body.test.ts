import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createBody, listBody } from '../../../src/runtime/cache/encoded-body.ts'

const decompress = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }
const json = (length: number) => Buffer.from(JSON.stringify({ text: 'Laserdrucker '.repeat(length / 13) }))

test.each(['zstd', 'br', 'gzip'] as const)('compresses with %s once for all callers', async (encoding) => {
  const bytes = json(5000)
  const body = createBody(bytes)
  const [first, second] = await Promise.all([body.encode(encoding), body.encode(encoding)])
  expect(decompress[encoding](first)).toEqual(bytes)
  expect(second).toBe(first)
  expect(await body.encode(encoding)).toBe(first)
  expect(bytes.byteLength + 3 * first.byteLength).toBeLessThan(body.size)
})

test('versions differ with the bytes alone', () => {
  expect(createBody(json(100)).version).toBe(createBody(json(100)).version)
  expect(createBody(json(100)).version).not.toBe(createBody(json(113)).version)
})

test('compresses from 1 KB on', () => {
  expect(createBody(Buffer.alloc(1023)).isCompressible).toBe(false)
  expect(createBody(Buffer.alloc(1024)).isCompressible).toBe(true)
})

test.each([0, 1, 999, 1000, 1001, 3500])('writes a list of %i, with turns for others in between', async (length) => {
  const numbers = Array.from({ length }, (_, number) => number)
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const { bytes } = await listBody(numbers, (number) => JSON.stringify({ number }))
  clearImmediate(next)
  expect(JSON.parse(bytes.toString())).toEqual(numbers.map((number) => ({ number })))
  expect(turns).toBe(Math.ceil(length / 1000))
  // Not a part of Node's buffer pool, which a cached one would retain.
  expect(bytes.buffer.byteLength).toBe(bytes.length)
})
