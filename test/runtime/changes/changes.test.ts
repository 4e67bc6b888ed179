import { expect, test, vi } from 'vitest'
import { type Change, createChanges } from '../../../src/runtime/changes/changes.ts'

const products = (count: number): Change => ({
  kind: 'product',
  ids: new Set(Array.from({ length: count }, (_, n) => n + 1)),
})

test('delivers messages to other instances only', async () => {
  const [here, there] = [createChanges(), createChanges()]
  const [receivedHere, receivedThere] = [vi.fn(), vi.fn()]
  here.subscribe(receivedHere)
  there.subscribe(receivedThere)
  const made: Change[] = [products(3), { kind: 'setting', ids: new Set(['site_name']) }]
  const payload = here.encode(made)
  here.receive(payload)
  expect(receivedHere).not.toHaveBeenCalled()
  there.receive(payload)
  expect(receivedThere).toHaveBeenCalledExactlyOnceWith(made, 'elsewhere')
  for (const from of ['here', 'run'] as const) {
    await here.publish(made, from)
    expect(receivedHere).toHaveBeenLastCalledWith(made, from)
  }
  expect(receivedHere).toHaveBeenCalledTimes(2)
})

test('replaces too many ids by null', () => {
  const [here, there] = [createChanges(), createChanges()]
  const received = vi.fn()
  there.subscribe(received)
  const payload = here.encode([products(10_000)])
  expect(Buffer.byteLength(payload)).toBeLessThan(8000)
  there.receive(payload)
  expect(received).toHaveBeenCalledWith([{ kind: 'product', ids: null }], 'elsewhere')
})

test('waits for the listeners in publish', async () => {
  const changes = createChanges()
  let done = false
  changes.subscribe(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    done = true
  })
  await changes.publish([products(1)], 'here')
  expect(done).toBe(true)
})

test.each(['catalogue', 'null', '7', '{}'])('throws at %s, which is no message', (payload) => {
  const changes = createChanges()
  const received = vi.fn()
  changes.subscribe(received)
  expect(() => changes.receive(payload)).toThrow()
  expect(received).not.toHaveBeenCalled()
})
