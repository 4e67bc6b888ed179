import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  createPublishedFiles,
  type LocalPublication,
  type PublishedFiles,
} from '../../../src/runtime/cache/published-files.ts'

let folder: string
let published: Stored[]
let publishedFiles: PublishedFiles

/** A publication; `missing`: the position of a chunk that can't be read. */
type Stored = { id: number; text: string; missing?: number }

const PIECE = 20
const gzipped = (text: string) => gzipSync(text, { level: 0 })
const nameOf = (id: number) => `${id}-${`${id}`.repeat(16)}-a.xml`

function rowOf({ id, text }: Stored) {
  const file = { name: 'a.xml', size: Buffer.byteLength(text), gzipSize: gzipped(text).length }
  return { id, built_at: new Date(id), content_hash: `${id}`.repeat(64), file }
}

function open(): PublishedFiles {
  const source = {
    newest: async () => published.map(rowOf).at(-1),
    async chunk({ id, position }: { id: number; position: number }) {
      const found = published.find((one) => one.id === id)
      const bytes = gzipped(found?.text ?? '').subarray(position * PIECE, (position + 1) * PIECE)
      return found === undefined || position === found.missing || bytes.length === 0 ? undefined : bytes
    },
  }
  return createPublishedFiles(folder, source, pino({ level: 'silent' }))
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'published-'))
  published = [{ id: 1, text: 'first '.repeat(30) }]
  publishedFiles = open()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true })
})

async function newest(from = publishedFiles): Promise<LocalPublication> {
  const found = await from.newest()
  if (found === null) throw new Error('nothing is published')
  return found
}

/** Reads the current publication in both encodings. */
async function whole(from = publishedFiles): Promise<void> {
  const local = await newest(from)
  const plain = await from.open(local, 'identity')
  const packed = await from.open(local, 'gzip')
  try {
    const text = published.at(-1)?.text ?? ''
    expect((await plain.readFile()).toString()).toBe(text)
    expect((await packed.readFile()).equals(gzipped(text))).toBe(true)
  } finally {
    await plain.close()
    await packed.close()
  }
}

test('downloads a publication once, plain and gzipped', async () => {
  await whole()
  expect((await readdir(folder)).sort()).toEqual([nameOf(1), `${nameOf(1)}.gz`])
  for (const one of published) one.missing = 0
  await whole()
  // Another process finds it.
  await whole(open())
})

test('returns null before the first publication', async () => {
  published = []
  expect(await publishedFiles.newest()).toBeNull()
})

test.each([nameOf(1), `${nameOf(1)}.gz`])('fetches a %s of the wrong size again', async (name) => {
  for (const wrong of ['', 'short', 'x'.repeat(10_000)]) {
    await writeFile(join(folder, name), wrong)
    await whole(open())
  }
})

test.each(['identity', 'gzip'] as const)('fetches a file (%s) that was deleted again', async (encoding) => {
  await rm((await newest())[encoding].path)
  await whole()
})

test('deletes the file of an interrupted download and retries', async () => {
  const [first] = published
  for (const missing of [0, 1, 3]) {
    if (first) first.missing = missing
    await expect(publishedFiles.newest()).rejects.toMatchObject({ status: 503, extras: { retryAfter: 1 } })
    expect(await readdir(folder)).toEqual([])
  }
  if (first) delete first.missing
  await whole()
})

test('keeps the previous publication and deletes older ones', async () => {
  const first = await newest()
  for (const id of [2, 3]) {
    published.push({ id, text: `${id} `.repeat(30) })
    await whole()
  }
  expect(new Set((await readdir(folder)).map((name) => name[0]))).toEqual(new Set(['2', '3']))
  await expect(publishedFiles.open(first, 'gzip')).rejects.toMatchObject({
    status: 503,
    extras: { retryAfter: 1 },
  })
})

/** Occupies the place of a file, so that it can't be stored. */
const occupy = (name: string) => mkdir(join(folder, name))

test.each([nameOf(2), `${nameOf(2)}.gz`])(
  'serves the previous publication while %s can not be stored',
  async (name) => {
    await whole()
    published.push({ id: 2, text: 'second '.repeat(30) })
    await occupy(name)
    expect((await newest()).id).toBe(1)
    expect((await readdir(folder)).filter((file) => file.endsWith('.tmp'))).toEqual([])

    await rm(join(folder, name), { recursive: true })
    const before = performance.now()
    expect((await newest()).id).toBe(1)
    vi.spyOn(performance, 'now').mockReturnValue(before + 10_001)
    expect((await newest()).id).toBe(2)
    await whole()
  },
)

test('answers 503 while nothing is stored and nothing can be', async () => {
  await occupy(nameOf(1))
  await expect(publishedFiles.newest()).rejects.toMatchObject({ status: 503, extras: { retryAfter: 10 } })
  await rm(join(folder, nameOf(1)), { recursive: true })
  await whole()
})
