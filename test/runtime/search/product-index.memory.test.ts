import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createProductIndex } from '../../../src/runtime/search/product-index.ts'

/** The heap has to hold two indexes of 500 000 products, as when one is loaded to replace the other (src/server.sh). */
const MAX_BYTES_PER_PRODUCT = 1400
const PRODUCTS = 10_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

test('takes little memory for each product, although each has a word and an id of its own', () => {
  const index = createProductIndex()
  const attributes = [1, 2, 3, 4, 5, 6].map((n) => ({ name: `Свойство ${n}`, value: 'Да', position: n }))
  const put = (id: number) => {
    const digits = (id * 2_654_435_761) % 4_294_967_296
    const name = `Шуруповёрт Сокол ${digits.toString(16).padStart(12, 'a')}`
    const figures = { price: id, stock: id, created_at: id + 0.5, sold: 0, category_id: 1, brand_id: 1 }
    const row = { id, external_id: `many-${id}`, name, active: true, available: true, ...figures }
    index.put([{ ...row, attributes: attributes.map((one) => ({ ...one, source: 'EXTERNAL' })) }], () => '')
  }
  put(0)
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let id = 1; id <= PRODUCTS; id++) put(id)
  collectGarbage()
  expect((process.memoryUsage().heapUsed - before) / PRODUCTS).toBeLessThan(MAX_BYTES_PER_PRODUCT)
  expect(index.words.withArticle('many-1')).toHaveLength(1)
})
