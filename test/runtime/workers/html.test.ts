import { expect, test } from 'vitest'
import { createPageParser, type PageParser } from '../../../src/runtime/workers/html.ts'

const MEMORY = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 }
const ORDINARY = '<div class="gallery"><img src="/a.jpg"></div>'
const FOUND = { urls: ['https://shop.example/a.jpg'], fault: null }
/** Takes some tens of megabytes. */
const LARGE = Array.from({ length: 30_000 }, (_, n) => `<p class="a${n} b${n} c${n} d${n} e${n}">`).join('')

async function withReader(work: (reader: PageParser) => Promise<void>, ...limits: (typeof MEMORY)[]) {
  const reader = createPageParser(60_000, ...limits)
  try {
    await work(reader)
  } finally {
    await reader.close()
  }
}
const read = (reader: PageParser, html: string, signal = new AbortController().signal) =>
  reader.findImages({ html, url: 'https://shop.example/p/1' }, signal)
const rejection = (reason: string, permanent = true) =>
  expect.objectContaining({
    name: 'StorefrontError',
    message: `the page can't be read: ${reason}`,
    permanent,
  })

test('rejects a page that takes too much memory, and parses the others', () =>
  withReader(async (reader) => {
    const pages = [ORDINARY, LARGE, ORDINARY]
    const ends = await Promise.allSettled(pages.map((html) => read(reader, html)))
    expect(ends).toEqual([
      { status: 'fulfilled', value: FOUND },
      { status: 'rejected', reason: rejection('it takes too much memory') },
      { status: 'fulfilled', value: FOUND },
    ])
  }, MEMORY))

test('rejects a page that takes too long, but not for good', async () => {
  const reader = createPageParser(10)
  const quadratic = '<!--'.repeat(1_000_000)
  try {
    await expect(read(reader, quadratic)).rejects.toEqual(rejection('it takes more than 0.01 s', false))
  } finally {
    await reader.close()
  }
})

test('rejects a page that is nested too deeply', () =>
  withReader(async (reader) => {
    const nested = `<script type="application/ld+json">${'['.repeat(200_000)}${']'.repeat(200_000)}</script>`
    await expect(read(reader, nested)).rejects.toEqual(rejection('it is nested too deeply'))
  }))

test('aborts only the page of the signal', () =>
  withReader(async (reader) => {
    const [leaving, aborted] = [new AbortController(), new AbortController()]
    aborted.abort(new Error('aborted'))
    const reading = read(reader, LARGE, leaving.signal)
    const others = [read(reader, ORDINARY), read(reader, ORDINARY, aborted.signal), read(reader, ORDINARY)]
    leaving.abort(new Error('left'))
    await expect(reading).rejects.toThrow('left')
    expect(await Promise.allSettled(others)).toEqual([
      { status: 'fulfilled', value: FOUND },
      { status: 'rejected', reason: new Error('aborted') },
      { status: 'fulfilled', value: FOUND },
    ])
  }))

test('parses the same page with the default memory, without blocking the event loop', () =>
  withReader(async (reader) => {
    const reading = read(reader, ORDINARY + LARGE)
    const turns = async () => {
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
      return 'turned'
    }
    expect(await Promise.race([reading, turns()])).toBe('turned')
    expect(await reading).toEqual(FOUND)
  }))
