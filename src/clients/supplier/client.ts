import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { SupplierError } from '../../errors.ts'
import { formatDateFrom, parseHttpDate } from '../../rules/supplier/dates.ts'
import type {
  OrderAnswer,
  RejectedRecord,
  SupplierBatch,
  SupplierBrand,
  SupplierCategory,
  SupplierOrder,
  SupplierProduct,
} from '../../rules/supplier/records.ts'
import { beginningOf, unstorable } from '../../rules/text.ts'
import {
  checked,
  Rejection,
  readDate,
  readName,
  readPrice,
  readReference,
  readStock,
  readUrl,
  storable,
} from './fields.ts'
import type { PostResult, Query, SupplierHttp, SupplierHttpConfig } from './http.ts'

const PAGE_SIZE = 100
/** However many were asked for. Lists without pages are limited by their bytes alone. */
const MAX_ITEMS = 10_000
/** So many characters of an answer are kept for staff. */
const KEPT_ANSWER = 2000

const listCheck = TypeCompiler.Compile(Type.Object({ items: Type.Array(Type.Unknown()) }))
const pagedListCheck = TypeCompiler.Compile(
  Type.Object({ items: Type.Array(Type.Unknown()), nextPage: Type.Union([Type.Integer(), Type.Null()]) }),
)

/** The supplier's stock system (contract section 8). Every reading call may throw a SupplierError. */
export type SupplierClient = {
  /** `clock` is the supplier's time when he answered, in whole seconds; null when he doesn't tell. */
  categories(
    since: Date | null,
    signal: AbortSignal,
  ): Promise<SupplierBatch<SupplierCategory> & { clock: Date | null }>
  brands(since: Date | null, signal: AbortSignal): Promise<SupplierBatch<SupplierBrand>>
  /** `nextPage` is null on the last page. */
  products(
    page: number,
    since: Date | null,
    signal: AbortSignal,
  ): Promise<SupplierBatch<SupplierProduct> & { nextPage: number | null }>
  /** The order as it goes over the wire, without credentials. */
  orderBody(order: SupplierOrder): { [key: string]: unknown }
  /**
   * Sends what `orderBody` made, once, before all reading that waits. Takes as long as its turn and half a minute;
   * never throws.
   * @param signal cuts it off
   */
  createOrder(body: { [key: string]: unknown }, signal: AbortSignal): Promise<OrderAnswer>
}
/**
 * The client of the supplier's API. Everything about its shape is in this file (contract section 8); what a field may
 * hold is in fields.ts, how a request is made in http.ts.
 */
export function createSupplierClient(config: SupplierHttpConfig): SupplierClient {
  let made: Promise<SupplierHttp> | undefined
  // Loaded with the first request: the HTTP client is large, and a start needs none.
  const http = () => {
    made ??= import('./http.ts').then(({ createSupplierHttp }) => createSupplierHttp(config))
    return made
  }

  async function list<T extends TSchema>(
    check: TypeCheck<T>,
    path: string,
    query: Query,
    options: { signal: AbortSignal; mostItems?: number },
  ): Promise<{ answer: Static<T>; clock: Date | null }> {
    const { body, date } = await (await http()).getJson(path, query, options)
    if (check.Check(body)) return { answer: body, clock: parseHttpDate(date) }
    const fault = check.Errors(body).First()
    throw new SupplierError(`${path} answered no list: ${fault?.path || 'the body'}: ${fault?.message}`)
  }

  const dateFrom = (since: Date | null): Query =>
    since === null ? {} : { dateFrom: formatDateFrom(since, config.timeZone) }

  return {
    async categories(since, signal) {
      const { answer, clock } = await list(listCheck, 'ListCategories', dateFrom(since), { signal })
      return { ...readBatch(answer.items, (item) => readCategory(item, config.timeZone)), clock }
    },
    async brands(since, signal) {
      const { answer } = await list(listCheck, 'ListBrands', dateFrom(since), { signal })
      return readBatch(answer.items, (item) => readBrand(item, config.timeZone))
    },
    async products(page, since, signal) {
      const query = { page, limit: PAGE_SIZE, ...dateFrom(since) }
      const options = { signal, mostItems: MAX_ITEMS }
      const { answer } = await list(pagedListCheck, 'ListProducts', query, options)
      const { items, nextPage } = answer
      if (nextPage !== null && nextPage <= page) {
        throw new SupplierError(`ListProducts named ${nextPage} as the page after ${page}`)
      }
      return { ...readBatch(items, (item) => readProduct(item, config.timeZone)), nextPage }
    },
    orderBody: writeOrder,
    async createOrder(body, signal) {
      return readOrderAnswer(await (await http()).postJson('CreateOrder', body, signal))
    },
  }
}

function writeOrder({ customer, delivery, items, ...order }: SupplierOrder): { [key: string]: unknown } {
  return {
    reference: order.reference,
    customer: { name: customer.name, phone: customer.phone, email: customer.email },
    delivery: { method: delivery.method, address: delivery.address, cost: Number(delivery.cost) },
    comment: order.comment,
    items: items.map(({ productExternalId, quantity, price }) => ({
      productId: productExternalId,
      quantity,
      price: Number(price),
    })),
  }
}

/** A status with which the supplier says that it made no order. One whose request timed out may have made it. */
const isRefusal = (status: number) => status >= 400 && status < 500 && status !== 408

function readOrderAnswer(result: PostResult): OrderAnswer {
  if (result.status === null) {
    const { reason, sent } = result
    if (sent) return { outcome: 'UNCLEAR', reason: `No answer: ${reason}`, answer: null }
    return { outcome: 'REFUSED', reason: `Not sent: ${reason}`, answer: null }
  }
  const { status, body } = result
  const answer = { status, body: beginningOf(body, KEPT_ANSWER) }
  if (status < 200 || status > 299) {
    const reason = `The supplier answered ${status} ${beginningOf(body, 200)}`.trim()
    return { outcome: isRefusal(status) ? 'REFUSED' : 'UNCLEAR', reason, answer }
  }
  const externalId = readOrderId(result.raw)
  if (externalId === null) {
    return { outcome: 'UNCLEAR', reason: 'The supplier answered without the id of an order', answer }
  }
  return { outcome: 'ACCEPTED', externalId, answer }
}

function readOrderId(body: string): string | null {
  try {
    return externalIdOf(JSON.parse(body))
  } catch {
    return null
  }
}

function readBatch<T extends { externalId: string }>(
  items: unknown[],
  read: (item: unknown) => T,
): SupplierBatch<T> {
  const records = new Map<string, T>()
  const rejected: RejectedRecord[] = []
  for (const item of items) {
    try {
      const record = read(item)
      // Taken out first, so that the later record also stands where it came.
      records.delete(record.externalId)
      records.set(record.externalId, record)
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      rejected.push({ externalId: externalIdOf(item), reason: error.message })
    }
  }
  return { records: [...records.values()], rejected }
}

const ExternalId = Type.String({ pattern: '\\S', maxLength: 200 })
/** Of another record; blank: of none. */
const Reference = Type.String({ maxLength: 200 })
const optional = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([Type.Null(), schema]))

const named = {
  id: ExternalId,
  name: Type.String({ maxLength: 1000 }),
  updatedAt: optional(Type.String({ maxLength: 100 })),
}
const identifiedCheck = TypeCompiler.Compile(Type.Object({ id: ExternalId }))
const brandCheck = TypeCompiler.Compile(Type.Object(named))
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
    attributes: optional(
      Type.Array(
        Type.Object({
          name: optional(Type.String({ maxLength: 500 })),
          value: optional(Type.Union([Type.String({ maxLength: 10_000 }), Type.Number()])),
        }),
        { maxItems: 500 },
      ),
    ),
  }),
)

function readCategory(item: unknown, timeZone: string): SupplierCategory {
  const record = checked(categoryCheck, item)
  return storable({
    externalId: record.id,
    name: readName(record.name),
    parentExternalId: readReference(record.parentId),
    updatedAt: readDate(record.updatedAt, timeZone),
  })
}

function readBrand(item: unknown, timeZone: string): SupplierBrand {
  const record = checked(brandCheck, item)
  return storable({
    externalId: record.id,
    name: readName(record.name),
    updatedAt: readDate(record.updatedAt, timeZone),
  })
}

function readProduct(item: unknown, timeZone: string): SupplierProduct {
  const record = checked(productCheck, item)
  return storable({
    externalId: record.id,
    name: readName(record.name),
    description: record.description?.trim() || null,
    price: readPrice(record.price),
    stock: readStock(record.stock),
    categoryExternalId: readReference(record.categoryId),
    brandExternalId: readReference(record.brandId),
    active: record.active ?? true,
    pageUrl: readUrl(record.url),
    attributes: readAttributes(record.attributes),
    updatedAt: readDate(record.updatedAt, timeZone),
  })
}

function externalIdOf(item: unknown): string | null {
  return identifiedCheck.Check(item) && unstorable(item.id) === null ? item.id : null
}

type RawAttribute = { name?: string | null; value?: string | number | null }

function readAttributes(attributes: RawAttribute[] | null | undefined): SupplierProduct['attributes'] {
  return (attributes ?? [])
    .map(({ name, value }) => ({
      name: (name ?? '').trim().normalize(),
      value: String(value ?? '')
        .trim()
        .normalize(),
    }))
    .filter(({ name, value }) => name !== '' && value !== '')
}
