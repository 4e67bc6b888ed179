import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestShop, type TestShop } from '../support/shop.ts'

const ROUTES = join(import.meta.dirname, '..', '..', 'routes')

let shop: TestShop
beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

/** The file of each operation, without `.ts`. */
function filesByOperation(): Map<string, string> {
  const files = readdirSync(ROUTES, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  const operations = files.flatMap((path) => {
    const found = readFileSync(join(ROUTES, path), 'utf8').matchAll(/operationId: '(\w+)'/g)
    return [...found].map(([, id = '']): [string, string] => [id, path.slice(0, -'.ts'.length)])
  })
  expect(new Set(operations.map(([id]) => id)).size).toBe(operations.length)
  return new Map(operations)
}

test('the file of a route is its URL, without prefix, parameters and extension', () => {
  const files = filesByOperation()
  const described = shop.app.declaredRoutes.filter(({ schema }) => schema?.operationId !== undefined)
  const misplaced = described.filter(({ url, schema }) => {
    const path = url
      // A file with a dot would be hidden.
      .replace(/^\/(api\/v1\/)?\.?/, '')
      .replace(/\/:\w+/g, '')
      .replace(/\.\w+$/, '')
    const file = files.get(`${schema?.operationId}`)
    return file === undefined || !(path === file || path.startsWith(`${file}/`))
  })
  expect(misplaced.map(({ url, schema }) => `${url}: ${files.get(`${schema?.operationId}`)}`)).toEqual([])
  expect(new Set(described.map(({ schema }) => schema?.operationId)).size).toBe(files.size)
})
