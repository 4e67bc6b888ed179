import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import type { ApiDocument } from '../support/api-description.ts'
import { createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const ROOT = join(import.meta.dirname, '../..')
const MODULES = join(ROOT, 'node_modules')

/** A storefront's program: omits parameters with defaults, sends a token where the description allows one. */
const PROGRAM = `
import createClient from 'openapi-fetch'
import type { components, paths } from './api.d.ts'
import type { TakesToken } from './security.d.ts'

const [, , baseUrl = '', token = ''] = process.argv
const api = createClient<paths>({ baseUrl })
const as = (_operation: TakesToken) => ({ headers: { authorization: \`Bearer \${token}\` } })

function got<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}

const list: components['schemas']['ProductPage'] = got(await api.GET('/api/v1/products'))
const [first] = list.content
if (first === undefined) throw new Error('no products')
const { id: productId } = first
const card = got(await api.GET('/api/v1/products/{id}', { params: { path: { id: productId } } }))
const price: number | null = card.finalPrice
const line: components['schemas']['OrderLine'] = { productId, quantity: 2 }
const cart = got(await api.POST('/api/v1/cart/validate', { body: [line] }))
const placed = got(
  await api.POST('/api/v1/orders', {
    ...as('POST /api/v1/orders'),
    body: { items: [line], customerName: 'Анна', customerPhone: '+7 900 123-45-67' },
  }),
)
const status: components['schemas']['OrderStatus'] = placed.status
const mine = got(
  await api.GET('/api/v1/orders/my', { ...as('GET /api/v1/orders/my'), params: { query: { size: 5 } } }),
)
const filter: components['schemas']['BulkFilter'] = { categoryId: 5, inStock: true, brandId: [5, 12] }
const edit: components['schemas']['BulkEdit'] = { filter, set: { sitePricePercent: 90 } }
const { error } = await api.GET('/api/v1/products/{id}', { params: { path: { id: 999_999 } } })
const code: components['schemas']['ErrorCode'] | undefined = error && 'code' in error ? error.code : undefined
console.log(JSON.stringify({ price, valid: cart.valid, status, mine: mine.content.map(({ id }) => id), code, edit }))
`

let shop: TestShop
let document: ApiDocument
const folders: string[] = []

beforeAll(async () => {
  shop = await startTestShop()
  document = JSON.parse((await shop.call('GET', '/v3/api-docs')).text)
})
afterAll(async () => {
  await shop.close()
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

const run = promisify(execFile)

/** Writes the generated types next to the program. */
async function generate(described: ApiDocument): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'shop-client-'))
  folders.push(folder)
  await symlink(MODULES, join(folder, 'node_modules'))
  const takers = Object.entries(described.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { security }]) => security.some((way) => 'bearer' in way))
      .map(([method]) => `'${method.toUpperCase()} ${path}'`),
  )
  const files = {
    'package.json': '{"type":"module"}',
    'api.json': JSON.stringify(described),
    'security.d.ts': `export type TakesToken = ${takers.join(' | ')}`,
    'program.ts': PROGRAM,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  await run(
    process.execPath,
    [join(MODULES, 'openapi-typescript/bin/cli.js'), 'api.json', '--output', 'api.d.ts'],
    { cwd: folder },
  )
  return folder
}

/** Output of the compiler; empty without errors. */
async function compile(folder: string): Promise<string> {
  const options =
    '--strict --noEmit --allowImportingTsExtensions --module nodenext --target esnext --types node'
  const tsc = join(MODULES, 'typescript-7/bin/tsc')
  const done = run(process.execPath, [tsc, ...options.split(' '), 'program.ts'], { cwd: folder })
  return done.then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
}

test('a generated client can list, view, order and see its orders', async () => {
  await createProduct(shop.deps.db, { price: '744.00' })
  const folder = await generate(document)
  expect(await compile(folder)).toBe('')
  const token = await loginAs(shop, 'USER')
  const { stdout } = await run(process.execPath, ['program.ts', shop.url, token], { cwd: folder })
  expect(JSON.parse(stdout)).toEqual({
    price: 744,
    valid: true,
    status: 'NEW',
    mine: [expect.any(Number)],
    code: 'NOT_FOUND',
    edit: { filter: { categoryId: 5, inStock: true, brandId: [5, 12] }, set: { sitePricePercent: 90 } },
  })
})

test('the program does not compile if a parameter with a default is required or an order takes no token', async () => {
  const worse = structuredClone(document)
  // Only what the program uses: generating the types takes long.
  worse.paths = Object.fromEntries(
    Object.entries(worse.paths).filter(([path]) => PROGRAM.includes(`'${path}'`)),
  )
  const page = worse.paths['/api/v1/products']?.get?.parameters?.find(({ name }) => name === 'page')
  expect(page?.required).toBe(false)
  Object.assign(page ?? {}, { required: true })
  Object.assign(worse.paths['/api/v1/orders']?.post ?? {}, { security: [] })
  const compiled = await compile(await generate(worse))
  expect(compiled).toMatch(/error TS2554|error TS2345/)
  expect(compiled).toContain('\'"POST /api/v1/orders"\' is not assignable')
})
