import type { Static, TSchema } from '@sinclair/typebox'
import type { TypeCheck } from '@sinclair/typebox/compiler'
import { messageOf, SupplierError } from '../../errors.ts'
import { formatDateFrom, parseHttpDate } from '../../rules/supplier/dates.ts'
import type { OrderAnswer } from '../../rules/supplier/records.ts'
import type { Query, SupplierHttp, SupplierHttpConfig } from './http.ts'
import {
  listCheck,
  notSent,
  pagedListCheck,
  readBatch,
  readBrand,
  readCategory,
  readProduct,
  writeOrder,
} from './wire.ts'

const PAGE_SIZE = 100
/** Limits a page, whatever size was asked for. Lists without pages are limited by their bytes alone. */
const MAX_ITEMS = 10_000

export type SupplierClient = ReturnType<typeof createSupplierClient>

/**
 * Creates a client of the supplier's stock system (contract section 8). The reading calls throw SupplierError.
 * @param traceparent the header of the request on whose behalf a call is made
 */
export function createSupplierClient(
  config: SupplierHttpConfig,
  traceparent: () => string | undefined = () => undefined,
) {
  const { timeZone } = config
  let opened: SupplierHttp | undefined
  /** Loads the HTTP client with the first request: it is large and not needed to start. */
  async function http(): Promise<SupplierHttp> {
    const { createSupplierHttp } = await import('./http.ts')
    opened ??= createSupplierHttp(config, traceparent)
    return opened
  }

  async function list<T extends TSchema>(
    check: TypeCheck<T>,
    path: string,
    query: Query,
    options: { signal: AbortSignal; maxItems?: number },
  ): Promise<{ answer: Static<T>; clock: Date | null }> {
    const { body, date } = await (await http()).getJson(path, query, options)
    if (check.Check(body)) return { answer: body, clock: parseHttpDate(date) }
    const fault = check.Errors(body).First()
    throw new SupplierError(`${path}: not a valid list: ${fault?.path || 'the body'}: ${fault?.message}`)
  }

  const dateFrom = (since: Date | null): Query => (since === null ? {} : { dateFrom: formatDateFrom(since, timeZone) })

  /** `clock`: the supplier's time of the answer, in whole seconds; null when the answer has none. */
  async function readWhole<T extends { externalId: string }>(
    path: string,
    since: Date | null,
    signal: AbortSignal,
    read: (item: unknown, timeZone: string) => T,
  ) {
    const { answer, clock } = await list(listCheck, path, dateFrom(since), { signal })
    return { ...readBatch(answer.items, (item) => read(item, timeZone)), clock }
  }

  return {
    categories: (since: Date | null, signal: AbortSignal) => readWhole('ListCategories', since, signal, readCategory),
    brands: (since: Date | null, signal: AbortSignal) => readWhole('ListBrands', since, signal, readBrand),
    /** `nextPage` is null on the last page. */
    async products(page: number, since: Date | null, signal: AbortSignal) {
      const query = { page, limit: PAGE_SIZE, ...dateFrom(since) }
      const options = { signal, maxItems: MAX_ITEMS }
      const { items, nextPage } = (await list(pagedListCheck, 'ListProducts', query, options)).answer
      if (nextPage !== null && nextPage <= page) {
        throw new SupplierError(`ListProducts named ${nextPage} as the page after ${page}`)
      }
      return { ...readBatch(items, (item) => readProduct(item, timeZone)), nextPage }
    },
    /** The body of CreateOrder, without credentials. */
    orderBody: writeOrder,
    /**
     * Sends a body from `orderBody` once, before all waiting reads. Takes as long as the queue, plus up to half a minute;
     * never throws.
     * @param signal aborts the request
     */
    async createOrder(body: { [key: string]: unknown }, signal: AbortSignal): Promise<OrderAnswer> {
      try {
        const { postOrder } = await http()
        return await postOrder('CreateOrder', body, signal)
      } catch (error) {
        return notSent(messageOf(error))
      }
    },
  }
}
