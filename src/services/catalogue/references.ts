import type { Trx } from '../../../db/database.ts'
import { lockReferences } from '../../../db/queries/catalogue/product-edits.ts'
import { type ErrorDetail, invalid } from '../../errors.ts'

/** The fields that refer to other records, with their table and name in errors; locked in this order. */
const REFERENCES = [
  ['categoryId', 'categories', 'category'],
  ['brandId', 'brands', 'brand'],
  ['imageId', 'images', 'image'],
  ['imageIds', 'images', 'image'],
  ['tagIds', 'tags', 'tag'],
  ['addTagIds', 'tags', 'tag'],
] as const

type Input = { [field in (typeof REFERENCES)[number][0]]?: number | number[] | null }

/** Locks the records that an input refers to until the transaction ends. @returns an error per missing one */
export async function missingReferences(trx: Trx, input: Input, pathPrefix = ''): Promise<ErrorDetail[]> {
  const details: ErrorDetail[] = []
  for (const [field, table, name] of REFERENCES) {
    const value = input[field]
    const ids = [value ?? []].flat()
    if (ids.length === 0) continue
    const existing = new Set(await lockReferences(trx, table, ids))
    const path = (index: number) => `${pathPrefix}${field}${Array.isArray(value) ? `.${index}` : ''}`
    for (const [index, id] of ids.entries())
      if (!existing.has(id)) details.push({ path: path(index), message: `there is no such ${name}` })
  }
  return details
}

/** @throws AppError 400 if there are any errors */
export function refuse(details: ErrorDetail[]): void {
  if (details.length > 0) throw invalid(...details)
}
