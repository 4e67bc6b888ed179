import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createCaches } from '../../../src/runtime/cache/caches.ts'
import { createBody, type EncodedBody } from '../../../src/runtime/cache/encoded-body.ts'

const decompress = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }
const json = (length: number) => Buffer.from(JSON.stringify({ text: 'Laserdrucker '.repeat(length / 13) }))

test.each(['zstd', 'br', 'gzip'] as const)('compresses with %s once for all callers', async (encoding) => {
  const bytes = json(5000)
  const body = createBody(bytes)
  const [first, second] = await Promise.all([body.encode(encoding), body.encode(encoding)])
  expect(decompress[encoding](first)).toEqual(bytes)
  expect(second).toBe(first)
  expect(body.encode(encoding)).toBe(first)
  expect(body.size()).toBe(bytes.byteLength + first.byteLength)
})

test('versions differ with the bytes alone', () => {
  expect(createBody(json(100)).version()).toBe(createBody(json(100)).version())
  expect(createBody(json(100)).version()).not.toBe(createBody(json(113)).version())
})

test('compresses from 1 KB on', () => {
  expect(createBody(Buffer.alloc(1023)).isCompressible).toBe(false)
  expect(createBody(Buffer.alloc(1024)).isCompressible).toBe(true)
})

function bodies() {
  const caches = createCaches(async () => new Map())
  caches.setTrusted(true)
  const cache = caches.create<EncodedBody>('bodies', { staleBy: ['brand'], size: (body) => body.size() })
  const add = async (key: string, bytes: Buffer) => {
    const body = createBody(bytes)
    body.onGrowth = () => cache.measure(key, body)
    return cache.get(key, async () => body)
  }
  return { caches, add, stats: () => caches.stats().get('bodies') }
}

test('a cache counts the bytes of every encoding', async () => {
  const { caches, add, stats } = bodies()
  const body = await add('a', json(5000))
  expect(stats()?.bytes).toBe(body.bytes.byteLength)
  await Promise.all([body.encode('gzip'), body.encode('br')])
  expect(stats()).toMatchObject({ entries: 1, bytes: body.size() })

  // What was invalidated meanwhile doesn't come back.
  const compressing = body.encode('zstd')
  await caches.invalidate([{ kind: 'brand', ids: null }])
  await compressing
  expect(stats()).toMatchObject({ entries: 0, bytes: 0 })
})

test('encodings evict other entries of a full cache', async () => {
  const { add, stats } = bodies()
  // Random bytes don't shrink.
  const bytes = () => Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)))
  const all = await Promise.all(Array.from({ length: 130 }, (_, n) => add(`${n}`, bytes())))
  expect(stats()).toMatchObject({ entries: 130, evictions: 0 })
  for (const body of all) await body.encode('zstd')
  const { entries = 0, evictions = 0, bytes: total = 0 } = stats() ?? {}
  expect(total).toBeLessThanOrEqual(8 * 1024 * 1024)
  expect(entries + evictions).toBe(130)
  expect(entries).toBeGreaterThan(60)
})
