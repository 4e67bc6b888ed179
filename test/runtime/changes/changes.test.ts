import { expect, test, vi } from 'vitest'
import { type Change, createChanges } from '../../../src/runtime/changes/changes.ts'

const products = (count: number): Change => ({
  kind: 'product',
  ids: new Set(Array.from({ length: count }, (_, n) => n + 1)),
})

test('what one instance says the others hear; its own words it leaves out', async () => {
  const [here, there] = [createChanges(), createChanges()]
  const [heardHere, heardThere] = [vi.fn(), vi.fn()]
  here.subscribe(heardHere)
  there.subscribe(heardThere)
  const made: Change[] = [products(3), { kind: 'setting', ids: new Set(['site_name']) }]
  const payload = here.encode(made)
  here.receive(payload)
  expect(heardHere).not.toHaveBeenCalled()
  there.receive(payload)
  expect(heardThere).toHaveBeenCalledExactlyOnceWith(made, 'elsewhere')
  for (const from of ['here', 'run'] as const) {
    await here.publish(made, from)
    expect(heardHere).toHaveBeenLastCalledWith(made, from)
  }
  expect(heardHere).toHaveBeenCalledTimes(2)
})

test('too many ids for a message are any of them', () => {
  const [here, there] = [createChanges(), createChanges()]
  const heard = vi.fn()
  there.subscribe(heard)
  const payload = here.encode([products(10_000)])
  expect(Buffer.byteLength(payload)).toBeLessThan(8000)
  there.receive(payload)
  expect(heard).toHaveBeenCalledWith([{ kind: 'product', ids: null }], 'elsewhere')
})

test('an announcement waits for whoever listens', async () => {
  const changes = createChanges()
  let done = false
  changes.subscribe(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    done = true
  })
  await changes.publish([products(1)], 'here')
  expect(done).toBe(true)
})

test('kinds that this version does not know are left out', () => {
  const changes = createChanges()
  const heard = vi.fn()
  changes.subscribe(heard)
  changes.receive(
    JSON.stringify({
      from: 'newer',
      changes: [
        { kind: 'planet', ids: [1] },
        { kind: 'order', ids: [2] },
      ],
    }),
  )
  expect(heard).toHaveBeenCalledWith([{ kind: 'order', ids: new Set([2]) }], 'elsewhere')
})

test('a message that cannot be read may have been about anything', () => {
  const changes = createChanges()
  const heard = vi.fn()
  changes.subscribe(heard)
  changes.receive('catalogue')
  const [made] = heard.mock.calls[0] ?? []
  expect(made).toContainEqual({ kind: 'product', ids: null })
  expect(made).toContainEqual({ kind: 'setting', ids: null })
})
