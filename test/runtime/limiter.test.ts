import { expect, test } from 'vitest'
import { createLimiter } from '../../src/runtime/limiter.ts'

/** Work that ends when it is told to. */
function controlled() {
  const begun: number[] = []
  const ends: (() => void)[] = []
  const work = (id: number) => () =>
    new Promise<number>((resolve, reject) => {
      begun.push(id)
      ends.push(() => (id < 0 ? reject(new Error(`work ${id}`)) : resolve(id)))
    })
  return { begun, ends, work }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('no more than the limit run at a time, and the others follow in their order', async () => {
  const limiter = createLimiter(2)
  const { begun, ends, work } = controlled()
  const all = Promise.all([1, 2, 3, 4].map((id) => limiter(work(id))))
  await settled()
  expect(begun).toEqual([1, 2])
  ends[1]?.()
  await settled()
  expect(begun).toEqual([1, 2, 3])
  ends[0]?.()
  ends[2]?.()
  await settled()
  ends[3]?.()
  expect(await all).toEqual([1, 2, 3, 4])
})

test('work that fails gives its place to the next, and places are not lost', async () => {
  const limiter = createLimiter(1)
  for (let round = 0; round < 3; round++) {
    const { ends, work } = controlled()
    const failing = limiter(work(-1))
    const next = limiter(work(5))
    await settled()
    ends[0]?.()
    await expect(failing).rejects.toThrow('work -1')
    await settled()
    ends[1]?.()
    expect(await next).toBe(5)
  }
  expect(await limiter(() => Promise.resolve('free'))).toBe('free')
})
