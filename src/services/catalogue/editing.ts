import type { Trx } from '../../../db/database.ts'
import { lockWork } from '../../../db/locks.ts'
import { lockReferences } from '../../../db/queries/catalogue/product-edits.ts'
import { allocateSlugs, findBySlug, findOwnSlug, insertSlug } from '../../../db/queries/catalogue/slugs.ts'
import type { SlugKind } from '../../../db/tables/catalogue.ts'
import type { Deps } from '../../deps.ts'
import { conflict, missingRecord } from '../../errors.ts'
import { slugBase } from '../../rules/catalogue/slugs.ts'
import type { Fault } from '../../rules/faults/sentences.ts'
import type { UnitOfWork } from '../../runtime/write.ts'

/**
 * Reserves a slug for a new or locked record (docs/catalogue.md): the wanted one, or else one generated from its
 * name. The record may take its own former slugs again. The caller writes the record's row.
 * @throws AppError 409 SLUG_TAKEN when another record has or had the wanted one
 */
export async function reserveSlug(
  { db }: UnitOfWork,
  kind: SlugKind,
  { id, name }: { id: number; name: string },
  wanted?: string,
): Promise<string> {
  await lockWork(db, `${kind}Slugs`)
  if (wanted !== undefined) {
    const owner = await findBySlug(db, kind, wanted)
    if (owner !== undefined && owner.id !== id)
      throw conflict('SLUG_TAKEN', `${wanted} is or was the slug of another ${kind}`)
    await insertSlug(db, kind, id, { slug: wanted, base: wanted, suffix: 1 })
    return wanted
  }
  const own = await findOwnSlug(db, kind, id, slugBase(name) || `${kind}-${id}`)
  if (own !== null) return own
  const [free] = await allocateSlugs(db, kind, [{ id, name }])
  if (free === undefined) throw new Error('No slug was allocated')
  await insertSlug(db, kind, id, free)
  return free.slug
}

/** The fields that refer to other records, and the tables of those; locked in this order. */
const REFERENCES = [
  ['categoryId', 'categories'],
  ['brandId', 'brands'],
  ['imageId', 'images'],
  ['imageIds', 'images'],
  ['tagIds', 'tags'],
  ['addTagIds', 'tags'],
] as const

type Input = { [field in (typeof REFERENCES)[number][0]]?: number | number[] | null }

/** Locks the records that an input refers to until the transaction ends. @returns a fault for each missing one */
export async function missingReferences(trx: Trx, input: Input, pathPrefix = ''): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [field, table] of REFERENCES) {
    const value = input[field]
    const ids = [value ?? []].flat()
    if (ids.length === 0) continue
    const existing = new Set(await lockReferences(trx, table, ids))
    const path = (index: number) => `${pathPrefix}${field}${Array.isArray(value) ? `.${index}` : ''}`
    for (const [index, id] of ids.entries()) if (!existing.has(id)) faults.push(missingRecord(path(index)))
  }
  return faults
}

type Described = { description?: string | null }

/** One line without markup stays as it is. */
const isUnsafe = (text?: string | null): text is string => text != null && /[<\n\r\u2028\u2029]/.test(text)

/** Returns the records as they may be stored: with sanitised descriptions, null if nothing is left of one. */
export async function withSafeDescriptions<T extends Described>({ htmlSanitizer }: Deps, records: T[]): Promise<T[]> {
  const unsafe = records.map(({ description }) => description).filter(isUnsafe)
  if (unsafe.length === 0) return records
  const safe = (await htmlSanitizer.sanitize(unsafe)).values()
  return records.map((record) =>
    isUnsafe(record.description) ? { ...record, description: safe.next().value || null } : record,
  )
}

export async function withSafeDescription<T extends Described>(deps: Deps, record: T): Promise<T> {
  const [safe = record] = await withSafeDescriptions(deps, [record])
  return safe
}
