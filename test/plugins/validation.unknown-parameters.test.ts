import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

const unknownOf = async (path: string) => {
  const { status, headers } = await shop.call('GET', path)
  return [status, headers.get('x-unknown-parameters')]
}

test.each([
  ['products?size=1', 200, null],
  ['products', 200, null],
  ['products?minprice=5&categoryId=1&Sort=price', 200, 'minprice, Sort'],
  ['products?attr.Цвет=синий&attrib=1', 200, 'attrib'],
  ['products?size=0&pagee=1', 400, 'pagee'],
  ['products?pagee=1&pagee=2', 200, 'pagee'],
  ['products/999?full=1', 404, 'full'],
  ['products?pagee=%00&search=x', 200, 'pagee'],
  ['reviews/active?constructor=1&__proto__=2', 200, 'constructor, __proto__'],
])('%s answers %i and names %s', async (query, status, names) => {
  expect(await unknownOf(`/api/v1/${query}`)).toEqual([status, names])
})

test("a stranger's names can neither end the header nor make it long", async () => {
  const [status, names] = await unknownOf(
    '/api/v1/products?a%0d%0aSet-Cookie:x=1&b%2C%20c=1&%D1%86%F0%9F%98%80=1&%00=1',
  )
  expect([status, names]).toEqual([200, 'a%0D%0ASet-Cookie%3Ax, b%2C%20c, %D1%86%F0%9F%98%80, %00'])
  const many = Array.from({ length: 20 }, (_, n) => `${n}${'\u{1f600}'.repeat(30)}=1`).join('&')
  const [, header] = await unknownOf(`/api/v1/products?${encodeURI(many)}`)
  expect(String(header).split(', ')).toHaveLength(10)
  expect(String(header).length).toBeLessThan(10 * 3 * 101)
})
