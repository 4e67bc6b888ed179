import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { MAX_INT } from '../../rules/lists.ts'
import { decimalOf } from '../../rules/money.ts'
import { meansNoDate, parseSupplierDate } from '../../rules/supplier/dates.ts'
import type * as rules from '../../rules/supplier/records.ts'
import { plainText } from '../../rules/supplier/texts.ts'
import { beginningOf, readName as readLine, readUrl, toNfc, unstorable, VISIBLE_LINE } from '../../rules/text.ts'
import {
  describeFault,
  describeFaults,
  type Faults,
  Rejection,
  readMember,
  soundMembers,
  storable,
  UNSTORABLE,
} from './faults.ts'
import { parseAnswer } from './json.ts'

// The shape of the supplier's API (docs/supplier.md), on which no other file depends.

/** Characters of an answer that are stored for staff. */
const MAX_STORED_ANSWER = 2000
const MAX_ATTRIBUTES = 500
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
  name: Type.Optional(Type.String({ maxLength: 1000 })),
  updatedAt: optional(Type.String({ maxLength: 100 })),
}
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
    attributes: optional(Type.Array(Type.Unknown())),
  }),
)
const attributeCheck = TypeCompiler.Compile(
  Type.Object({
    name: optional(Type.String({ maxLength: 500 })),
    value: optional(Type.Union([Type.String({ maxLength: 10_000 }), Type.Number()])),
  }),
)

/** @throws Rejection */
export function readCategory(item: unknown, timeZone: string, faults: Faults): rules.SupplierCategory {
  const record = soundMembers(categoryCheck, item, faults)
  const category = readNamed(record, timeZone, faults)
  const parentExternalId = readMember(faults, 'parentId', () => readReference(record.parentId))
  if (faults.has('parentId')) throw new Rejection(describeFaults(faults))
  return { ...category, parentExternalId }
}

/** @throws Rejection */
export function readBrand(item: unknown, timeZone: string, faults: Faults): rules.SupplierBrand {
  return readNamed(soundMembers(brandCheck, item, faults), timeZone, faults)
}

/**
 * Reads what is sound of a product: its price and stock count even if another member doesn't.
 * @throws Rejection without id or name
 */
export function readProduct(item: unknown, timeZone: string, faults: Faults): rules.SupplierProduct {
  const record = soundMembers(productCheck, item, faults)
  const unsound: rules.ProductMember[] = []
  function read<T>(member: rules.ProductMember, path: string, reader: () => T): T | null {
    const value = readMember(faults, path, reader)
    if (faults.has(path)) unsound.push(member)
    return value
  }
  return {
    ...readNamed(record, timeZone, faults),
    description: read('description', 'description', () => storable(record.description?.trim() ?? '')) || null,
    price: read('price', 'price', () => readPrice(record.price)),
    stock: read('stock', 'stock', () => readStock(record.stock)) ?? 0,
    categoryExternalId: read('categoryExternalId', 'categoryId', () => readReference(record.categoryId)),
    brandExternalId: read('brandExternalId', 'brandId', () => readReference(record.brandId)),
    // A new product whose state can't be read stays off sale.
    active: read('active', 'active', () => record.active) ?? !faults.has('active'),
    pageUrl: read('pageUrl', 'url', () => readUrl(plainText(storable(record.url ?? '')))),
    attributes: read('attributes', 'attributes', () => readAttributes(record.attributes ?? [], faults)) ?? [],
    unsound,
  }
}

/** @throws Rejection without a name */
function readNamed({ id, name, updatedAt }: Static<typeof Named>, timeZone: string, faults: Faults) {
  const record = {
    externalId: readId(id),
    name: readMember(faults, 'name', () => readName(name)) ?? '',
    updatedAt: readMember(faults, 'updatedAt', () => readDate(updatedAt, timeZone)),
  }
  if (faults.has('name')) throw new Rejection(describeFaults(faults))
  return record
}

function readId(id: string): string {
  const code = unstorable(id)
  if (code !== null) throw new Rejection(`id ${UNSTORABLE[code]}`)
  return id
}

function externalIdOf(item: unknown): string | null {
  return identifiedCheck.Check(item) && unstorable(item.id) === null ? item.id : null
}

/** Incomplete attributes are left out, and so are unsound ones, whose faults are noted. */
function readAttributes(items: unknown[], faults: Faults): rules.SupplierProduct['attributes'] {
  if (items.length > MAX_ATTRIBUTES) faults.set(`attributes[${MAX_ATTRIBUTES}]`, 'is one too many')
  return items.slice(0, MAX_ATTRIBUTES).flatMap((item, index) => {
    const path = `attributes[${index}]`
    if (!attributeCheck.Check(item)) {
      const fault = attributeCheck.Errors(item).First()
      faults.set(`${path}${fault?.path.replace('/', '.') ?? ''}`, describeFault(fault?.value))
      return []
    }
    const read = (member: 'name' | 'value') =>
      readMember(faults, `${path}.${member}`, () => plainText(storable(String(item[member] ?? ''))))
    const name = readLine(read('name') ?? '')
    const value = toNfc((read('value') ?? '').trim())
    return name === '' || value === '' ? [] : [{ name, value }]
  })
}

function readName(text: string | undefined): string {
  if (text === undefined) throw new Rejection('is missing')
  const name = readLine(plainText(storable(text)))
  if (!VISIBLE_LINE.test(name)) throw new Rejection('is empty')
  return name
}

function readDate(text: string | null | undefined, timeZone: string): Date | null {
  if (text === null || text === undefined) return null
  const date = parseSupplierDate(text, timeZone)
  if (date === null && !meansNoDate(text)) throw new Rejection(describeFault(text))
  return date
}

function readReference(id: string | null | undefined): string | null {
  return id?.trim() ? storable(id) : null
}

function readPrice(value: number | null | undefined): string | null {
  if (value === null || value === undefined) return null
  if (value < 0) throw new Rejection(`is negative: ${value}`)
  const price = decimalOf(value)
  if (price === null) throw new Rejection(`is too large: ${value}`)
  return price
}

/** Oversold or unknown stock counts as 0; fractions of a piece can't be sold. */
function readStock(value: number | null | undefined): number {
  if (value === null || value === undefined || value < 0) return 0
  if (value > MAX_INT) throw new Rejection(`is too large: ${value}`)
  return Math.floor(value)
}

/**
 * Reads records, and tells what was wrong with them. Of records with the same id the last one counts. Gives way to other work
 * in between, such as the database's answers to the page before: at once, 10 000 records would hold the event loop for 0.2 s.
 */
export async function readBatch<T extends { externalId: string }>(
  items: unknown[],
  read: (item: unknown, faults: Faults) => T,
): Promise<rules.SupplierBatch<T>> {
  const records = new Map<string, T>()
  const rejected: rules.RejectedRecord[] = []
  for (const [index, item] of items.entries()) {
    if (index % RECORDS_PER_TURN === 0) await nextTurn()
    const faults: Faults = new Map()
    try {
      const record = read(item, faults)
      records.set(record.externalId, record)
      const { externalId } = record
      if (faults.size > 0) rejected.push({ externalId, reason: describeFaults(faults), isTaken: true })
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      rejected.push({ externalId: externalIdOf(item), reason: error.message, isTaken: false })
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
