import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
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

/** A publication. */
type Stored = { id: number; texts: Record<string, string>; missing?: number }

const PIECE = 20
const gzipped = (text: string) => gzipSync(text, { level: 0 })

function rowOf({ id, texts }: Stored) {
  const files = Object.entries(texts).map(([name, text]) => ({
    name,
    size: Buffer.byteLength(text),
    gzipSize: gzipped(text).length,
  }))
  return { id, built_at: new Date(id), content_hash: `${id}`.repeat(64), files }
}

function open(): PublishedFiles {
  const newest = async () => published.map(rowOf).at(-1)
  const source = {
    newest,
    retained: async () => published.map(rowOf).toReversed(),
    async chunk({ id, file, position }: { id: number; file: string; position: number }) {
      const found = published.find((one) => one.id === id)
      const bytes = gzipped(found?.texts[file] ?? '').subarray(position * PIECE, (position + 1) * PIECE)
      return found === undefined || position === found.missing || bytes.length === 0 ? undefined : bytes
    },
  }
  return createPublishedFiles(folder, source, pino({ level: 'silent' }))
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'published-'))
  published = [{ id: 1, texts: { 'a.xml': 'first '.repeat(30), 'b.xml': 'other '.repeat(9) } }]
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

async function readOf(name: string, from = publishedFiles): Promise<string> {
  const file = (await newest(from)).files.get(name)
  if (file === undefined) throw new Error(`there is no ${name}`)
  const handle = await from.open(file, 'identity')
  const packed = await from.open(file, 'gzip')
  try {
    const text = (await handle.readFile()).toString()
    expect((await packed.readFile()).equals(gzipped(text))).toBe(true)
    return text
  } finally {
    await handle.close()
    await packed.close()
  }
}

const texts = () => published.at(-1)?.texts ?? {}
const whole = async (from = publishedFiles) => {
  for (const [name, text] of Object.entries(texts())) expect(await readOf(name, from)).toBe(text)
}

test('downloads all files of a publication once, plain and gzipped', async () => {
  await whole()
  expect((await readdir(folder)).sort()).toEqual(
    ['a.xml', 'a.xml.gz', 'b.xml', 'b.xml.gz'].map((name) => `1-${'1'.repeat(16)}-${name}`),
  )
  for (const one of published) one.missing = 0
  await whole()
  // Another process finds them.
  await whole(open())
})

test('returns null before the first publication', async () => {
  published = []
  expect(await publishedFiles.newest()).toBeNull()
})

test.each(['a.xml', 'a.xml.gz', 'b.xml.gz'])('fetches a %s of the wrong size again', async (name) => {
  const path = join(folder, `1-${'1'.repeat(16)}-${name}`)
  for (const wrong of ['', 'short', 'x'.repeat(10_000)]) {
    await writeFile(path, wrong)
    await whole(open())
  }
})

test.each(['identity', 'gzip'] as const)(
  'a file (%s) that was cut short while it was in use is fetched again',
  async (encoding) => {
    const file = (await newest()).files.get('a.xml')
    await truncate(file?.[encoding].path ?? '', 7)
    await whole()
    await rm(file?.[encoding].path ?? '')
    await whole()
  },
)

test('abandons a download for a newer publication', async () => {
  const [old] = published
  const stale = [{ ...old, id: 1, texts: old?.texts ?? {}, missing: 2 }]
  const now: Stored = { id: 3, texts: { 'a.xml': 'third '.repeat(40) } }
  const source = {
    newest: async () => stale.map(rowOf).at(0),
    retained: async () => [rowOf(now)],
    async chunk({ id, file, position }: { id: number; file: string; position: number }) {
      const text = id === now.id ? now.texts[file] : stale[0]?.texts[file]
      const bytes = gzipped(text ?? '').subarray(position * PIECE, (position + 1) * PIECE)
      return (id === 1 && position === 2) || bytes.length === 0 ? undefined : bytes
    },
  }
  const from = createPublishedFiles(folder, source, pino({ level: 'silent' }))
  const found = await newest(from)
  expect([found.id, [...found.files.keys()]]).toEqual([3, ['a.xml']])
  expect(await readFile(found.files.get('a.xml')?.identity.path ?? '', 'utf8')).toBe(now.texts['a.xml'])
  expect((await readdir(folder)).filter((name) => !name.startsWith('3-'))).toEqual([])
})

test('deletes the file of an interrupted download and retries', async () => {
  const [first] = published
  for (const missing of [0, 1, 3]) {
    if (first) first.missing = missing
    await expect(publishedFiles.newest()).rejects.toMatchObject({ status: 503 })
    expect(await readdir(folder)).toEqual([])
  }
  if (first) delete first.missing
  await whole()
})

test('keeps the previous publication and deletes older ones', async () => {
  const first = await newest()
  for (const id of [2, 3]) {
    published.push({ id, texts: { 'a.xml': `${id} `.repeat(30) } })
    await whole()
  }
  expect(new Set((await readdir(folder)).map((name) => name[0]))).toEqual(new Set(['2', '3']))
  const deleted = first.files.get('a.xml')
  if (deleted === undefined) throw new Error('no such file')
  await expect(publishedFiles.open(deleted, 'gzip')).rejects.toMatchObject({
    status: 503,
    extras: { retryAfter: 1 },
  })
})

/** Occupies the place of a file, so that it can't be stored. */
const occupy = (id: number, name: string) => mkdir(join(folder, `${id}-${`${id}`.repeat(16)}-${name}`))

test.each(['a.xml', 'a.xml.gz'])(
  'serves the previous publication while a %s can not be stored',
  async (name) => {
    await whole()
    published.push({ id: 2, texts: { 'a.xml': 'second '.repeat(30) } })
    await occupy(2, name)
    expect((await newest()).id).toBe(1)
    // Another process finds the previous files too.
    const restarted = open()
    expect((await newest(restarted)).id).toBe(1)
    expect((await readdir(folder)).filter((file) => file.endsWith('.tmp'))).toEqual([])

    await rm(join(folder, `2-${'2'.repeat(16)}-${name}`), { recursive: true })
    const before = performance.now()
    expect((await newest()).id).toBe(1)
    vi.spyOn(performance, 'now').mockReturnValue(before + 10_001)
    for (const from of [publishedFiles, restarted]) {
      expect((await newest(from)).id).toBe(2)
      await whole(from)
    }
  },
)

test('answers 503 while nothing is stored nor can be', async () => {
  await occupy(1, 'b.xml')
  await expect(publishedFiles.newest()).rejects.toMatchObject({ status: 503, extras: { retryAfter: 10 } })
  await rm(join(folder, `1-${'1'.repeat(16)}-b.xml`), { recursive: true })
  await whole()
})
