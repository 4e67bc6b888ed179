import { setTimeout as delay } from 'node:timers/promises'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import got, { type Got, HTTPError, RequestError } from 'got'
import type { SupplierConfig } from '../src/config.ts'
import { decimalOf } from '../src/rules/money.ts'
import { formatDateFrom, parseSupplierDate } from '../src/rules/supplier-date.ts'
import { findUnstorable, unstorable } from '../src/rules/text.ts'
import { MAX_INT } from '../src/schemas/common.ts'
import {
  type RejectedRecord,
  type SupplierBatch,
  type SupplierBrand,
  type SupplierCategory,
  type SupplierClient,
  SupplierError,
  type SupplierProduct,
} from '../src/supplier.ts'

const PAGE_SIZE = 100
const LARGEST_ANSWER = 64 * 1024 * 1024
const SERVER_ERRORS = Array.from({ length: 100 }, (_, index) => 500 + index)

const listCheck = TypeCompiler.Compile(Type.Object({ items: Type.Array(Type.Unknown()) }))
const pagedListCheck = TypeCompiler.Compile(
  Type.Object({ items: Type.Array(Type.Unknown()), nextPage: Type.Union([Type.Integer(), Type.Null()]) }),
)

/**
 * The client of the supplier's API. Everything about its shape is in this file (contract section 8).
 * Requests follow one another with `requestDelayMs` between them, whoever makes them; a GET that fails for a reason
 * that may pass is repeated three times.
 */
export function createSupplierClient(config: SupplierConfig & { baseUrl: string }): SupplierClient {
  const http = createHttp(config)
  const paced = createPacer(config.requestDelayMs)

  async function list<T extends TSchema>(
    check: TypeCheck<T>,
    path: string,
    query: Query,
    signal: AbortSignal,
  ): Promise<Static<T>> {
    const body = await paced(() => getJson(http, path, query, signal), signal)
    if (check.Check(body)) return body
    const fault = check.Errors(body).First()
    throw new SupplierError(`${path} answered no list: ${fault?.path || 'the body'}: ${fault?.message}`)
  }

  const dateFrom = (since: Date | null): Query =>
    since === null ? {} : { dateFrom: formatDateFrom(since, config.timeZone) }

  return {
    async categories(since, signal) {
      const { items } = await list(listCheck, 'ListCategories', dateFrom(since), signal)
      return readBatch(items, (item) => readCategory(item, config.timeZone))
    },
    async brands(since, signal) {
      const { items } = await list(listCheck, 'ListBrands', dateFrom(since), signal)
      return readBatch(items, (item) => readBrand(item, config.timeZone))
    },
    async products(page, since, signal) {
      const query = { page, limit: PAGE_SIZE, ...dateFrom(since) }
      const { items, nextPage } = await list(pagedListCheck, 'ListProducts', query, signal)
      if (nextPage !== null && nextPage <= page) {
        throw new SupplierError(`ListProducts named ${nextPage} as the page after ${page}`)
      }
      return { ...readBatch(items, (item) => readProduct(item, config.timeZone)), nextPage }
    },
  }
}

type Query = Record<string, string | number>

function createHttp({
  baseUrl,
  token,
  username,
  password,
  authType,
}: SupplierConfig & { baseUrl: string }): Got {
  const basic = Buffer.from(`${username}:${password}`).toString('base64')
  return got.extend({
    prefixUrl: baseUrl,
    headers: { token, ...(authType === 'BASIC' ? { authorization: `Basic ${basic}` } : {}) },
    // A redirect would carry the credentials elsewhere.
    followRedirect: false,
    timeout: { lookup: 5000, connect: 5000, secureConnect: 5000, response: 30_000, request: 60_000 },
    retry: { limit: 3, methods: ['GET'], statusCodes: [429, ...SERVER_ERRORS], maxRetryAfter: 30_000 },
  })
}

async function getJson(http: Got, path: string, query: Query, signal: AbortSignal): Promise<unknown> {
  const tooLarge = new AbortController()
  try {
    const request = http.get(path, {
      searchParams: query,
      signal: AbortSignal.any([signal, tooLarge.signal]),
      responseType: 'text',
    })
    request.on('downloadProgress', ({ transferred }) => {
      if (transferred > LARGEST_ANSWER) tooLarge.abort()
    })
    return JSON.parse((await request).body)
  } catch (error) {
    signal.throwIfAborted()
    const reason = tooLarge.signal.aborted ? 'the answer is larger than 64 MiB' : describe(error)
    throw new SupplierError(`${path}: ${reason}`, { cause: error })
  }
}

function describe(error: unknown): string {
  if (error instanceof HTTPError) {
    const { statusCode, body } = error.response
    return `the supplier answered ${statusCode} ${String(body).slice(0, 200)}`
  }
  if (error instanceof SyntaxError) return 'the answer is no JSON'
  if (error instanceof RequestError) return `${error.code}: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}

/** Lets one call run at a time, with a pause between the end of one and the start of the next. */
function createPacer(pauseMs: number) {
  let last: Promise<unknown> = Promise.resolve()
  let nextStart = 0
  return function paced<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const turn = last.then(async () => {
      const wait = nextStart - performance.now()
      if (wait > 0) await delay(wait, undefined, { signal })
      try {
        return await call()
      } finally {
        nextStart = performance.now() + pauseMs
      }
    })
    last = turn.then(ignore, ignore)
    return turn
  }
}

function ignore(): void {}

/** A record that can't be taken; the message is the reason that staff read. */
class Rejection extends Error {}

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

const ExternalId = Type.String({ minLength: 1, maxLength: 200 })
const optional = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([Type.Null(), schema]))

const named = {
  id: ExternalId,
  name: Type.String({ maxLength: 1000 }),
  updatedAt: optional(Type.String({ maxLength: 100 })),
}
const identifiedCheck = TypeCompiler.Compile(Type.Object({ id: ExternalId }))
const brandCheck = TypeCompiler.Compile(Type.Object(named))
const categoryCheck = TypeCompiler.Compile(Type.Object({ ...named, parentId: optional(ExternalId) }))
const productCheck = TypeCompiler.Compile(
  Type.Object({
    ...named,
    description: optional(Type.String({ maxLength: 200_000 })),
    price: optional(Type.Number()),
    stock: optional(Type.Number()),
    categoryId: optional(ExternalId),
    brandId: optional(ExternalId),
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
    parentExternalId: record.parentId ?? null,
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
    categoryExternalId: record.categoryId ?? null,
    brandExternalId: record.brandId ?? null,
    active: record.active ?? true,
    pageUrl: readUrl(record.url),
    attributes: readAttributes(record.attributes),
    updatedAt: readDate(record.updatedAt, timeZone),
  })
}

function checked<T extends TSchema>(check: TypeCheck<T>, item: unknown): Static<T> {
  if (check.Check(item)) return item
  const fault = check.Errors(item).First()
  const field = fault?.path.slice(1) || 'the record'
  if (fault === undefined || fault.value === undefined) throw new Rejection(`${field} is missing`)
  throw new Rejection(`${field} can't be ${JSON.stringify(fault.value).slice(0, 100)}`)
}

function storable<T extends object>(record: T): T {
  const fault = findUnstorable(record)
  if (fault) throw new Rejection(`${fault.path.slice(1)} ${fault.message}`)
  return record
}

function externalIdOf(item: unknown): string | null {
  return identifiedCheck.Check(item) && unstorable(item.id) === null ? item.id : null
}

function readName(text: string): string {
  const name = text.replace(/\s+/g, ' ').trim()
  if (name === '') throw new Rejection('name is empty')
  return name
}

function readDate(text: string | null | undefined, timeZone: string): Date | null {
  if (text === null || text === undefined) return null
  const date = parseSupplierDate(text, timeZone)
  if (date === null) throw new Rejection(`updatedAt can't be "${text}"`)
  return date
}

function readPrice(value: number | null | undefined): string | null {
  if (value === null || value === undefined) return null
  if (value < 0) throw new Rejection(`price is negative: ${value}`)
  const price = decimalOf(value)
  if (price === null) throw new Rejection(`price is too large: ${value}`)
  return price
}

/** A supplier's oversold or unknown stock is nothing that can be sold; of a half piece neither. */
function readStock(value: number | null | undefined): number {
  if (value === null || value === undefined || value < 0) return 0
  if (value > MAX_INT) throw new Rejection(`stock is too large: ${value}`)
  return Math.floor(value)
}

function readUrl(text: string | null | undefined): string | null {
  if (!text || text.length > 2000 || !URL.canParse(text)) return null
  return /^https?:$/.test(new URL(text).protocol) ? text : null
}

type RawAttribute = { name?: string | null; value?: string | number | null }

function readAttributes(attributes: RawAttribute[] | null | undefined): SupplierProduct['attributes'] {
  return (attributes ?? [])
    .map(({ name, value }) => ({ name: name?.trim() ?? '', value: String(value ?? '').trim() }))
    .filter(({ name, value }) => name !== '' && value !== '')
}
