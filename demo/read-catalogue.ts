import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { Catalogue, type DemoAttribute, defaultImageCount } from './catalogue.ts'

/** `updatedAt` of records without one: older than any sync. */
export const UNDATED = Date.UTC(2020, 0, 1)

/**
 * Reads a folder with categories.ndjson.gz, brands.ndjson.gz and products.ndjson.gz, without correcting values:
 * untrimmed names, impossible prices, unknown categories.
 * @throws Error with file and line of a line that is not a JSON object with an externalId
 */
export async function readCatalogue(folder: string): Promise<Catalogue> {
  const catalogue = new Catalogue()
  for await (const { id, row } of records(join(folder, 'categories.ndjson.gz'))) {
    const parentId = textOrNull(row.parentExternalId)
    catalogue.categories.put({
      id,
      name: textOrNull(row.name) ?? '',
      parentId,
      updatedAt: stamp(row.updatedAt),
    })
  }
  for await (const { id, row } of records(join(folder, 'brands.ndjson.gz'))) {
    catalogue.brands.put({ id, name: textOrNull(row.name) ?? '', updatedAt: stamp(row.updatedAt) })
  }
  for await (const { id, row } of records(join(folder, 'products.ndjson.gz'))) {
    catalogue.products.put({
      id,
      name: textOrNull(row.name) ?? '',
      description: textOrNull(row.description),
      price: numberOrNull(row.price),
      stock: numberOrNull(row.stock),
      categoryId: textOrNull(row.categoryExternalId),
      brandId: textOrNull(row.brandExternalId),
      active: true,
      attributes: attributes(row.attributes),
      pageUrl: textOrNull(row.pageUrl),
      imageUrls: texts(row.imageUrls),
      imageCount: defaultImageCount(id),
      updatedAt: stamp(row.updatedAt),
    })
  }
  return catalogue
}

async function* records(file: string): AsyncGenerator<{ id: string; row: Record<string, unknown> }> {
  let lineNumber = 0
  for await (const line of lines(file)) {
    lineNumber += 1
    if (line.trim() === '') continue
    const row = parse(line)
    const id = textOrNull(row?.externalId)
    if (row === undefined || id === null) throw new Error(`${file}:${lineNumber}: not a record with an externalId`)
    yield { id, row }
  }
}

/** Splits at line feeds only: node:readline also splits at U+2028, which JSON texts may contain. */
async function* lines(file: string): AsyncGenerator<string> {
  const source = createReadStream(file)
  const unzipped = createGunzip().setEncoding('utf8')
  source.on('error', (error) => unzipped.destroy(error))
  source.pipe(unzipped)
  let rest = ''
  for await (const chunk of unzipped) {
    const parts = (rest + String(chunk)).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
  yield rest
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
}

function attributes(value: unknown): DemoAttribute[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return []
    const { name, value: content }: { name?: unknown; value?: unknown } = entry
    return typeof name === 'string' && typeof content === 'string' ? [{ name, value: content }] : []
  })
}

/** A time without an offset is in UTC. */
function stamp(value: unknown): number {
  if (typeof value !== 'string') return UNDATED
  const moment = Date.parse(/[zZ]$|[+-]\d{2}:?\d{2}$/.test(value) ? value : `${value}Z`)
  return Number.isNaN(moment) ? UNDATED : moment
}
