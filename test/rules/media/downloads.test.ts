import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseFormat, readRange, widthOfVariant } from '../../../src/rules/media/downloads.ts'
import { VARIANT_WIDTHS } from '../../../src/rules/media/formats.ts'

test.each([
  [undefined, 100, undefined],
  ['bytes=0-0', 100, { start: 0, end: 0 }],
  ['bytes=99-', 100, { start: 99, end: 99 }],
  ['bytes=50-40', 100, undefined],
  [' Bytes=1-2 ', 100, { start: 1, end: 2 }],
  ['bytes=1-2,5-6', 100, undefined],
  ['bytes= 1-2', 100, undefined],
  ['bytes=+1-2', 100, undefined],
] as const)('%j of %i bytes: %j', (header, size, expected) => {
  expect(readRange(header, size)).toEqual(expected)
})

test.each([
  ['bytes=0-', 0],
  ['bytes=-5', 0],
  ['bytes=100-', 100],
  ['bytes=100-200', 100],
] as const)('%j of %i bytes is not satisfiable', (header, size) => {
  const extras = { headers: { 'content-range': `bytes */${size}` } }
  expect(() => readRange(header, size)).toThrow(expect.objectContaining({ status: 416, extras }))
})

function rangeOrNone(header: string, size: number) {
  try {
    return readRange(header, size)
  } catch {
    return undefined
  }
}

test('keeps ranges within the body for any header', () => {
  const part = fc.oneof(fc.nat(2000).map(String), fc.constantFrom('', '9'.repeat(25), '00007'))
  fc.assert(
    fc.property(part, part, fc.nat(1000), (first, last, size) => {
      const range = rangeOrNone(`bytes=${first}-${last}`, size)
      if (range === undefined) return
      expect(range.start).toBeGreaterThanOrEqual(0)
      expect(range.end).toBeGreaterThanOrEqual(range.start)
      expect(range.end).toBeLessThan(size)
    }),
  )
})

test('chooses only formats that Accept names', () => {
  expect(chooseFormat('jpeg', undefined)).toBe('jpeg')
  expect(chooseFormat('gif', '*/*')).toBe('png')
  expect(chooseFormat('avif', '*/*')).toBe('avif')
  expect(chooseFormat('png', 'image/webp;level=1;q=0.3')).toBe('webp')
  expect(chooseFormat('png', 'image/webp;q=x')).toBe('png')
  expect(chooseFormat('png', 'image/avif;q=0.1, image/webp')).toBe('webp')
  expect(chooseFormat('png', 'IMAGE/WEBP; Q=0.5, image/avif;q=0.6, */*;q=0.8')).toBe('avif')
  expect(chooseFormat('png', 'image/webp, image/avif')).toBe('avif')
  fc.assert(
    fc.property(fc.string(), (accept) => {
      expect(['jpeg', 'webp', 'avif']).toContain(chooseFormat('jpeg', accept))
    }),
  )
})

test('maps widths beyond the original to one variant', () => {
  const widths = (original: number) => new Set(VARIANT_WIDTHS.map((width) => widthOfVariant(width, original)))
  expect([...widths(100)]).toEqual([160])
  expect([...widths(160)]).toEqual([160])
  expect([...widths(161)]).toEqual([160, 320])
  expect([...widths(5000)]).toEqual([...VARIANT_WIDTHS])
})
