import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { MAX_INT } from '../../rules/lists.ts'
import { decimalOf } from '../../rules/money.ts'
import { meansNoDate, parseSupplierDate } from '../../rules/supplier/dates.ts'
import type * as rules from '../../rules/supplier/records.ts'
import {
  beginningOf,
  findUnstorable,
  readUrl,
  toNfc,
  type Unstorable,
  unstorable,
  VISIBLE_LINE,
} from '../../rules/text.ts'
import { parseAnswer } from './json.ts'

// The shape of the supplier's API (contract section 8), on which no other file depends.

/** Characters of an answer that are stored for staff. */
const MAX_STORED_ANSWER = 2000
/** Records checked in one turn of the event loop, which takes a tenth of a millisecond. */
const RECORDS_PER_TURN = 5

export const listCheck = TypeCompiler.Compile(
  Type.Object({ items: Type.Array(Type.Unknown()), nextPage: Type.Union([Type.Integer(), Type.Null()]) }),
)

const ExternalId = Type.String({ pattern: '\\S', maxLength: 200 })
/** The id of another record, or blank. */
const Reference = Type.String({ maxLength: 200 })
const optional = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([Type.Null(), schema]))

/** The members of every record. */
const named = {
  id: ExternalId,
  name: Type.String({ maxLength: 1000 }),
  updatedAt: optional(Type.String({ maxLength: 100 })),
}
const RawAttribute = Type.Object({
  name: optional(Type.String({ maxLength: 500 })),
  value: optional(Type.Union([Type.String({ maxLength: 10_000 }), Type.Number()])),
})
const identifiedCheck = TypeCompiler.Compile(Type.Object({ id: ExternalId }))
const Named = Type.Object(named)
const brandCheck = TypeCompiler.Compile(Named)
const categoryCheck = TypeCompiler.Compile(Type.Object({ ...named, parentId: optional(Reference) }))
const productCheck = TypeCompiler.Compile(
  Type.Object({
    ...named,
    description: optional(Type.String({ maxLength: 200_000 })),
    price: optional(Type.Number()),
    stock: optional(Type.Number()),
    categoryId: optional(Reference),
    brandId: optional(Reference),
    active: optional(Type.Boolean()),
    url: optional(Type.String()),
    attributes: optional(Type.Array(RawAttribute, { maxItems: 500 })),
  }),
)

export function readCategory(item: unknown, timeZone: string): rules.SupplierCategory {
  const record = checked(categoryCheck, item)
  return storable({ ...readNamed(record, timeZone), parentExternalId: readReference(record.parentId) })
}

export function readBrand(item: unknown, timeZone: string): rules.SupplierBrand {
  return storable(readNamed(checked(brandCheck, item), timeZone))
}

export function readProduct(item: unknown, timeZone: string): rules.SupplierProduct {
  const record = checked(productCheck, item)
  return storable({
    ...readNamed(record, timeZone),
    description: record.description?.trim() || null,
    price: readPrice(record.price),
    stock: readStock(record.stock),
    categoryExternalId: readReference(record.categoryId),
    brandExternalId: readReference(record.brandId),
    active: record.active ?? true,
    pageUrl: readUrl(record.url ?? ''),
    attributes: readAttributes(record.attributes ?? []),
  })
}

function readNamed({ id, name, updatedAt }: Static<typeof Named>, timeZone: string): rules.SupplierBrand {
  return { externalId: id, name: readName(name), updatedAt: readDate(updatedAt, timeZone) }
}

function externalIdOf(item: unknown): string | null {
  return identifiedCheck.Check(item) && unstorable(item.id) === null ? item.id : null
}

function readAttributes(attributes: Static<typeof RawAttribute>[]): rules.SupplierProduct['attributes'] {
  const read = (text: string | number | null | undefined) => toNfc(String(text ?? '').trim())
  return attributes
    .map(({ name, value }) => ({ name: read(name), value: read(value) }))
    .filter(({ name, value }) => name !== '' && value !== '')
}

/** Skips a record; the message is the reason shown to staff. */
class Rejection extends Error {}

function checked<T extends TSchema>(check: TypeCheck<T>, item: unknown): Static<T> {
  if (check.Check(item)) return item
  const fault = check.Errors(item).First()
  const field = fault?.path.slice(1) || 'the record'
  if (fault === undefined || fault.value === undefined) throw new Rejection(`${field} is missing`)
  throw new Rejection(`${field} can't be ${describeValue(fault.value)}`)
}

/** Lists and objects are not quoted: they may be nested too deeply to be stringified. */
function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : beginningOf(JSON.stringify(value), 100)
}

const UNSTORABLE: { [Code in Unstorable['reason']['code']]: string } = {
  NULL_CHARACTER: 'contains the character U+0000',
  HALF_CHARACTER: 'contains half of a surrogate pair',
  NUMBER_TOO_LARGE: 'is a number that is too large',
  TOO_DEEP: 'is nested too deeply',
}

function storable<T extends object>(record: T): T {
  for (const { path, reason } of findUnstorable(record))
    throw new Rejection(`${path.join('/')} ${UNSTORABLE[reason.code]}`)
  return record
}

function readName(text: string): string {
  const name = toNfc(text.replace(/\s+/g, ' ').trim())
  if (!VISIBLE_LINE.test(name)) throw new Rejection('name is empty')
  return name
}

function readDate(text: string | null | undefined, timeZone: string): Date | null {
  if (text === null || text === undefined) return null
  const date = parseSupplierDate(text, timeZone)
  if (date === null && !meansNoDate(text)) throw new Rejection(`updatedAt can't be ${describeValue(text)}`)
  return date
}

function readReference(id: string | null | undefined): string | null {
  return id?.trim() ? id : null
}

function readPrice(value: number | null | undefined): string | null {
  if (value === null || value === undefined) return null
  if (value < 0) throw new Rejection(`price is negative: ${value}`)
  const price = decimalOf(value)
  if (price === null) throw new Rejection(`price is too large: ${value}`)
  return price
}

/** Oversold or unknown stock counts as 0; fractions of a piece can't be sold. */
function readStock(value: number | null | undefined): number {
  if (value === null || value === undefined || value < 0) return 0
  if (value > MAX_INT) throw new Rejection(`stock is too large: ${value}`)
  return Math.floor(value)
}

/**
 * Separates valid records from malformed ones. Of records with the same id the last one counts. Gives way to other work in
 * between, such as the database's answers to the page before: at once, 10 000 records would hold the event loop for 0.2 s.
 */
export async function readBatch<T extends { externalId: string }>(
  items: unknown[],
  read: (item: unknown) => T,
): Promise<rules.SupplierBatch<T>> {
  const records = new Map<string, T>()
  const rejected: rules.RejectedRecord[] = []
  for (const [index, item] of items.entries()) {
    if (index % RECORDS_PER_TURN === 0) await nextTurn()
    try {
      const record = read(item)
      records.set(record.externalId, record)
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      rejected.push({ externalId: externalIdOf(item), reason: error.message })
    }
  }
  return { records: [...records.values()], rejected }
}

export function writeOrder({ delivery, items, ...order }: rules.SupplierOrder) {
  return {
    ...order,
    delivery: { ...delivery, cost: Number(delivery.cost) },
    items: items.map(({ productExternalId, quantity, price }) => ({
      productId: productExternalId,
      quantity,
      price: Number(price),
    })),
  }
}

export function notSent(reason: string): rules.OrderAnswer {
  return { outcome: 'REFUSED', reason: `Not sent: ${reason}`, answer: null }
}

export function unanswered(reason: string): rules.OrderAnswer {
  return { outcome: 'UNCLEAR', reason: `No answer: ${reason}`, answer: null }
}

/** @param stored the body without credentials and what can't be stored */
export function readOrderAnswer(status: number, body: string, stored: string): rules.OrderAnswer {
  const answer = { status, body: beginningOf(stored, MAX_STORED_ANSWER) }
  if (status < 200 || status > 299) {
    const reason = `The supplier answered ${status} ${beginningOf(stored, 200)}`.trim()
    // After a 408 an order may have been created.
    const isRefusal = status >= 400 && status < 500 && status !== 408
    return { outcome: isRefusal ? 'REFUSED' : 'UNCLEAR', reason, answer }
  }
  const externalId = readOrderId(body)
  if (externalId !== null) return { outcome: 'ACCEPTED', externalId, answer }
  return { outcome: 'UNCLEAR', reason: 'The supplier answered without the id of an order', answer }
}

function readOrderId(body: string): string | null {
  try {
    const id = externalIdOf(parseAnswer(body))
    // Of bytes in an unknown encoding.
    return id?.includes('\uFFFD') ? null : id
  } catch {
    return null
  }
}
