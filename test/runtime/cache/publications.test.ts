import { beforeEach, expect, test, vi } from 'vitest'
import { createPublished } from '../../../src/runtime/cache/publications.ts'

const CHUNKS = ['first', 'second'].map((text) => Buffer.from(text))
const row = (id: number) => {
  const file = { name: 'a.xml', size: 100, gzipSize: 11 }
  return { id, kind: 'feed', built_at: new Date(id), content_hash: `${id}`, entries: 1, file } as const
}

let newest: ReturnType<typeof row> | undefined
const chunks = vi.fn<(id: number) => Promise<Buffer[]>>()
let published: ReturnType<typeof createPublished>

beforeEach(() => {
  newest = row(1)
  chunks.mockReset().mockResolvedValue(CHUNKS)
  published = createPublished({ newest: async () => newest, chunks })
})

test('finds nothing before the first publication', async () => {
  newest = undefined
  expect(await published()).toBeUndefined()
})

test('reads the bytes of a publication once, also for concurrent requests', async () => {
  expect(await Promise.all([published(), published()])).toEqual(Array(2).fill({ ...row(1), chunks: CHUNKS }))
  newest = row(2)
  expect(await published()).toMatchObject({ id: 2 })
  expect(await published()).toMatchObject({ id: 2 })
  expect(chunks.mock.calls).toEqual([[1], [2]])
})

test('answers 503 while the publication is being replaced, and reads it again', async () => {
  for (const incomplete of [[], CHUNKS.slice(1)]) {
    chunks.mockResolvedValueOnce(incomplete)
    await expect(published()).rejects.toMatchObject({ status: 503, extras: { retryAfter: 1 } })
  }
  expect(await published()).toMatchObject({ id: 1 })
})

test('reads the bytes again after an error of the database', async () => {
  chunks.mockRejectedValueOnce(new Error('down'))
  await expect(published()).rejects.toThrow('down')
  expect(await published()).toMatchObject({ id: 1 })
})
