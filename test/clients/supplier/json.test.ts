import fc from 'fast-check'
import { expect, test } from 'vitest'
import { measure } from '../../../src/clients/supplier/json.ts'

test.each([
  ['{"items":[1,2,3],"page":1}', 3],
  ['{"items":[{"a":[1,2,3,4,5,6]},[1,2,3,4,5]],"page":1}', 2],
  ['{"items":["a,b\\",[{", "\\\\"],"x":"[1,2,3,4]"}', 2],
  ['{"errors":[],"items":[1,2]}', 2],
  ['{"x":{"items":[1,2,3]},"items":[1]}', 1],
  ['{"items":"1,2,3"}', 1],
  ['{"items":["', 1],
  ['', 1],
])('counts the items of %j: %i', (json, items) => {
  expect(measure(json).items).toBe(items)
})

test('counts the items that JSON.parse would build, whatever a list contains', () => {
  const body = fc.record({ items: fc.array(fc.jsonValue(), { minLength: 1 }), page: fc.jsonValue() })
  fc.assert(
    fc.property(body, fc.nat(3), (value, indent) => {
      fc.pre(typeof value.page !== 'object')
      const json = JSON.stringify(value, null, indent)
      expect(measure(json).items).toBe(value.items.length)
    }),
  )
})
