import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readBatch, readProduct } from '../../../src/clients/supplier/wire.ts'

test('gives way to other work while it checks a large page', async () => {
  const items = Array.from({ length: 1000 }, (_, index) => ({ id: String(index), name: 'Дрель' }))
  let isReading = true
  const reading = readBatch(items, (item, faults) => readProduct(item, 'UTC', faults)).finally(() => {
    isReading = false
  })
  let turns = 0
  for (; isReading; turns += 1) await nextTurn()
  expect((await reading).records).toHaveLength(1000)
  expect(turns).toBeGreaterThan(100)
})
