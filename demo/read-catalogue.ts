import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Catalogue, defaultImageCount } from './catalogue.ts'

/** `updatedAt` of records without one: older than any sync. */
export const UNDATED = Date.UTC(2020, 0, 1)

const OptionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const OptionalNumber = Type.Optional(Type.Union([Type.Number(), Type.Null()]))
const Brand = Type.Object({ externalId: Type.String(), name: OptionalText, updatedAt: OptionalText })
const Category = Type.Object({ ...Brand.properties, parentExternalId: OptionalText })
const Product = Type.Object({
  ...Brand.properties,
  description: OptionalText,
  price: OptionalNumber,
  stock: OptionalNumber,
  categoryExternalId: OptionalText,
  brandExternalId: OptionalText,
  attributes: Type.Optional(Type.Array(Type.Object({ name: Type.String(), value: Type.String() }))),
  pageUrl: OptionalText,
  imageUrls: Type.Optional(Type.Array(Type.String())),
})

/**
 * Reads a folder with categories.ndjson.gz, brands.ndjson.gz and products.ndjson.gz, without correcting values:
 * untrimmed names, impossible prices, unknown categories.
 * @throws Error with file and line of a record that can't be read
 */
export async function readCatalogue(folder: string): Promise<Catalogue> {
  const catalogue = new Catalogue()
  for (const row of await readRows(join(folder, 'categories.ndjson.gz'), Category)) {
    const { externalId: id, name, parentExternalId: parentId, updatedAt } = row
    catalogue.categories.put({ id, name: name ?? '', parentId: parentId ?? null, updatedAt: epochMs(updatedAt) })
  }
  for (const { externalId: id, name, updatedAt } of await readRows(join(folder, 'brands.ndjson.gz'), Brand)) {
    catalogue.brands.put({ id, name: name ?? '', updatedAt: epochMs(updatedAt) })
  }
  for (const row of await readRows(join(folder, 'products.ndjson.gz'), Product)) {
    catalogue.products.put({
      id: row.externalId,
      name: row.name ?? '',
      description: row.description ?? null,
      price: row.price ?? null,
      stock: row.stock ?? null,
      categoryId: row.categoryExternalId ?? null,
      brandId: row.brandExternalId ?? null,
      active: true,
      attributes: (row.attributes ?? []).map(({ name, value }) => ({ name, value })),
      pageUrl: row.pageUrl ?? null,
      imageUrls: row.imageUrls ?? [],
      imageCount: defaultImageCount(row.externalId),
      updatedAt: epochMs(row.updatedAt),
    })
  }
  return catalogue
}

async function readRows<T extends TSchema>(file: string, schema: T): Promise<Static<T>[]> {
  // Not node:readline, which also splits at U+2028, which JSON texts may contain.
  const lines = gunzipSync(await readFile(file))
    .toString('utf8')
    .split('\n')
  const rows: Static<T>[] = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    try {
      rows.push(Value.Parse(['Assert'], schema, JSON.parse(line)))
    } catch (error) {
      throw new Error(`${file}:${index + 1}: not a record of a catalogue`, { cause: error })
    }
  }
  return rows
}

/** A time without an offset is in UTC. */
function epochMs(text: string | null | undefined): number {
  if (typeof text !== 'string') return UNDATED
  const parsed = Date.parse(/[zZ]$|[+-]\d{2}:?\d{2}$/.test(text) ? text : `${text}Z`)
  return Number.isNaN(parsed) ? UNDATED : parsed
}
