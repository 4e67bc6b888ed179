import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { generateCatalogue } from '../../demo/generate.ts'
import { readCatalogue, UNDATED } from '../../demo/read-catalogue.ts'
import { startDemoSupplier } from '../../demo/supplier.ts'
import { clientOf, listProducts } from './client.ts'

const folders: string[] = []

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'demo-catalogue-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.ndjson.gz`), gzipSync(text))
  return folder
}

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

test('generates the same catalogue every time, with all oddities', () => {
  const catalogue = generateCatalogue()
  const products = [...catalogue.products]
  expect(products).toHaveLength(2000)
  expect(products).toEqual([...generateCatalogue().products])
  expect(products).not.toEqual([...generateCatalogue({ seed: 2 }).products])
  expect(catalogue.categories.size).toBeGreaterThan(70)
  expect(catalogue.brands.size).toBe(40)
  const zeros = products.filter(({ stock }) => stock === 0).length
  expect(zeros).toBeGreaterThan(200)
  expect(zeros).toBeLessThan(600)
  expect(products.some(({ name }) => name !== name.trim())).toBe(true)
  expect(products.some(({ name }) => /[<>&"']/.test(name))).toBe(true)
  expect(products.some(({ price }) => price === null)).toBe(true)
  expect(products.some(({ price }) => price === 0)).toBe(true)
  expect(products.some(({ active }) => !active)).toBe(true)
  expect(products.some(({ categoryId }) => categoryId === null)).toBe(true)
  expect(products.some(({ brandId }) => brandId === null)).toBe(true)
})

test('generates three levels of categories, and products with valid references', () => {
  const { categories, brands, products } = generateCatalogue({ products: 300 })
  const depth = (id: string | null): number => (id === null ? 0 : 1 + depth(categories.get(id)?.parentId ?? null))
  expect(Math.max(...[...categories].map(({ id }) => depth(id)))).toBe(3)
  for (const { categoryId, brandId, attributes } of products) {
    if (categoryId !== null) expect(depth(categoryId)).toBe(3)
    if (brandId !== null) expect(brands.get(brandId)).toBeDefined()
    expect(attributes.length).toBeLessThanOrEqual(8)
  }
})

test('reads and serves a folder without correcting it', async () => {
  const product = {
    externalId: 'x:1',
    name: '  Стол\u2028«Ель» ',
    description: '<b>да</b>',
    price: 1.5e73,
    stock: null,
    categoryExternalId: 'нет такой',
    brandExternalId: null,
    attributes: [{ name: 'Цвет', value: 'дуб' }],
    pageUrl: 'https://shop.example/x?a=1&b=2',
    imageUrls: ['/relative.jpg'],
    updatedAt: '2025-09-21T11:41:48+05:00',
  }
  const bare = { ...product, externalId: 'x2', price: 0.125, pageUrl: null, updatedAt: null }
  const folder = await folderWith({
    categories: '{"externalId":"c1","name":"Мебель","parentExternalId":"c9"}\n',
    brands: '{"externalId":"b1","name":"Ель"}\n\n',
    products: `${JSON.stringify(product)}\n${JSON.stringify(bare)}`,
  })
  const catalogue = await readCatalogue(folder)
  const supplier = await startDemoSupplier({ catalogue, token: 'test-token' })
  const { items } = await listProducts(clientOf(supplier))
  await supplier.close()
  expect(items).toEqual([
    {
      id: 'x:1',
      name: product.name,
      description: '<b>да</b>',
      price: 1.5e73,
      stock: null,
      categoryId: 'нет такой',
      brandId: null,
      active: true,
      url: product.pageUrl,
      attributes: product.attributes,
      updatedAt: '21.09.2025 06:41:48.000',
    },
    expect.objectContaining({ id: 'x2', price: 0.125, url: `${supplier.siteUrl}/p/x2` }),
  ])
  expect(catalogue.products.get('x2')?.updatedAt).toBe(UNDATED)
  expect(catalogue.categories.get('c1')).toMatchObject({ name: 'Мебель', parentId: 'c9' })
  expect(catalogue.brands.size).toBe(1)
})

test('reports file and line of an invalid record', async () => {
  const folder = await folderWith({
    categories: '{"externalId":"c1","name":"Ок"}\n{"name":\n',
    brands: '',
    products: '',
  })
  await expect(readCatalogue(folder)).rejects.toThrow(/categories\.ndjson\.gz:2/)
})

test('rejects a missing folder', async () => {
  await expect(readCatalogue(join(tmpdir(), 'no-such-catalogue'))).rejects.toMatchObject({ code: 'ENOENT' })
})
