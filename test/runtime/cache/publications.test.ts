import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { beforeEach, expect, test, vi } from 'vitest'
import { createPublished } from '../../../src/runtime/cache/publications.ts'

const XML = '<yml_catalog/>'
const BYTES = gzipSync(XML)
const CHUNKS = [BYTES.subarray(0, 10), BYTES.subarray(10)]
const row = (id: number) => {
  const file = { name: 'a.xml', size: XML.length, gzipSize: BYTES.length }
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
  const [one, another] = await Promise.all([published(), published()])
  expect(one).toMatchObject(row(1))
  expect(another).toBe(one)
  newest = row(2)
  expect(await published()).toMatchObject({ id: 2 })
  expect(await published()).toMatchObject({ id: 2 })
  expect(chunks.mock.calls).toEqual([[1], [2]])
})

test.each([XML.length, XML.length - 1])('serves its bytes plain or gzipped, up to %d in memory', async (max) => {
  published = createPublished({ newest: async () => newest, chunks }, max)
  const read = async (encoding: 'gzip' | 'identity') => {
    const found = await published()
    return found && buffer(found.read(encoding))
  }
  const [gzip, plain, again] = await Promise.all([read('gzip'), read('identity'), read('identity')])
  expect(gzip).toEqual(BYTES)
  expect([String(plain), String(again)]).toEqual([XML, XML])
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
