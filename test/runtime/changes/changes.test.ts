import { expect, test, vi } from 'vitest'
import { type Change, type ChangeKind, createChanges } from '../../../src/runtime/changes/changes.ts'

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
  const payloads = here.encode(made)
  payloads.forEach(here.receive)
  expect(receivedHere).not.toHaveBeenCalled()
  payloads.forEach(there.receive)
  expect(receivedThere).toHaveBeenCalledExactlyOnceWith(made, 'elsewhere')
  for (const from of ['here', 'run'] as const) {
    await here.publish(made, from)
    expect(receivedHere).toHaveBeenLastCalledWith(made, from)
  }
  expect(receivedHere).toHaveBeenCalledTimes(2)
})

test('distributes many ids over several messages', () => {
  const [here, there] = [createChanges(), createChanges()]
  const received: Change[] = []
  there.subscribe((changes) => void received.push(...changes))
  const largest = 2 ** 31 - 1
  const many = Array.from({ length: 10_000 }, (_, n) => largest - n)
  const payloads = here.encode([
    { kind: 'product', ids: new Set(many) },
    { kind: 'category', ids: new Set([1]) },
  ])
  for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8000)
  payloads.forEach(there.receive)
  const idsOf = (kind: ChangeKind) => received.flatMap((one) => (one.kind === kind ? [...(one.ids ?? [])] : []))
  expect(idsOf('product')).toEqual(many)
  expect(idsOf('category')).toEqual([1])
})

test('replaces too many ids by null', () => {
  const [here, there] = [createChanges(), createChanges()]
  const received = vi.fn()
  there.subscribe(received)
  here.encode([products(20_001)]).forEach(there.receive)
  expect(received).toHaveBeenCalledExactlyOnceWith([{ kind: 'product', ids: null }], 'elsewhere')
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
