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
  const payloads = here.encode(made)
  payloads.forEach(here.receive)
  expect(receivedHere).not.toHaveBeenCalled()
  payloads.forEach(there.receive)
  expect(receivedThere).toHaveBeenCalledExactlyOnceWith(made, 'elsewhere')
  await here.publish(made)
  expect(receivedHere).toHaveBeenCalledExactlyOnceWith(made, 'here')
})

test('replaces ids that do not fit into a message by null', () => {
  const [here, there] = [createChanges(), createChanges()]
  const received: Change[] = []
  there.subscribe((changes) => void received.push(...changes))
  const category: Change = { kind: 'category', ids: new Set([1]) }
  const payloads = here.encode([products(2000), category])
  for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8000)
  payloads.forEach(there.receive)
  expect(received).toEqual([{ kind: 'product', ids: null }, category])
})

test('skips kinds that only a newer version knows', () => {
  const changes = createChanges()
  const received = vi.fn()
  changes.subscribe(received)
  const sent = [
    { kind: 'voucher', ids: [1] },
    { kind: 'product', ids: [2] },
  ]
  changes.receive(JSON.stringify({ from: 'elsewhere', changes: sent }))
  expect(received).toHaveBeenCalledExactlyOnceWith([{ kind: 'product', ids: new Set([2]) }], 'elsewhere')
})

test('waits for the listeners in publish', async () => {
  const changes = createChanges()
  let done = false
  changes.subscribe(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    done = true
  })
  await changes.publish([products(1)])
  expect(done).toBe(true)
})

test.each(['catalogue', 'null', '7', '{}'])('throws at %s, which is no message', (payload) => {
  const changes = createChanges()
  const received = vi.fn()
  changes.subscribe(received)
  expect(() => changes.receive(payload)).toThrow()
  expect(received).not.toHaveBeenCalled()
})
