import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { createByteRing } from '../../../src/runtime/cache/byte-ring.ts'

const CAPACITY = 4096
const SMALL = 900
const entry = (length: number, seed: number) => ({
  bytes: Buffer.alloc(length, seed),
  version: seed,
  flag: seed % 2 === 0,
})

test('what is held is what was put last, and the newest of it fits', () => {
  const steps = fc.array(
    fc.record({
      id: fc.integer({ min: 1, max: 12 }),
      length: fc.oneof(
        { weight: 30, arbitrary: fc.integer({ min: 0, max: SMALL }) },
        { weight: 1, arbitrary: fc.constantFrom(CAPACITY - 1, CAPACITY, CAPACITY + 1) },
      ),
      remove: fc.boolean(),
    }),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(steps, (all) => {
      const ring = createByteRing(CAPACITY, 60_000)
      const last = new Map<number, ReturnType<typeof entry>>()
      const puts: { id: number; length: number }[] = []
      all.forEach(({ id, length, remove }, step) => {
        if (remove && step % 3 === 0) {
          ring.remove(id)
          last.delete(id)
        } else {
          const put = entry(length, step % 256)
          ring.put(id, put)
          last.set(id, put)
          puts.push({ id, length })
        }
        for (const held of ring.ids()) {
          const found = ring.get(held)
          expect(found && { ...found, bytes: Buffer.from(found.bytes) }).toEqual(last.get(held))
        }
      })
      // Of the ring only the end of a lap is lost, which was too short for what came next.
      let bytes = 0
      for (const [n, put] of puts.toReversed().entries()) {
        bytes += put.length
        if (put.length > SMALL || bytes > CAPACITY - SMALL || n >= CAPACITY / 512) break
        const kept = last.get(put.id)
        expect(ring.get(put.id)?.version).toBe(kept?.version)
      }
    }),
    { numRuns: 500 },
  )
})

test('what is larger than the ring is not held, nor what was held of the record before', () => {
  const ring = createByteRing(CAPACITY, 60_000)
  ring.put(1, entry(10, 1))
  ring.put(1, entry(CAPACITY + 1, 2))
  expect(ring.get(1)).toBeUndefined()
  ring.put(2, entry(CAPACITY, 3))
  expect(ring.get(2)?.bytes).toEqual(Buffer.alloc(CAPACITY, 3))
})

test('there is room for a bounded number of the smallest', () => {
  const ring = createByteRing(CAPACITY, 60_000)
  for (let id = 1; id <= 100; id++) ring.put(id, entry(1, id))
  expect([...ring.ids()]).toEqual(Array.from({ length: CAPACITY / 512 }, (_, n) => 93 + n))
})

test('it is held for its lifetime', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  try {
    const ring = createByteRing(CAPACITY, 1000)
    ring.put(1, entry(10, 1))
    now.mockReturnValue(1000)
    expect(ring.get(1)).toBeDefined()
    now.mockReturnValue(1001)
    expect(ring.get(1)).toBeUndefined()
  } finally {
    now.mockRestore()
  }
})
