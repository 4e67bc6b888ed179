import { messageOf, SupplierError } from '../../errors.ts'
import { parseHttpDate } from '../../rules/http-dates.ts'
import { formatDateFrom } from '../../rules/supplier/dates.ts'
import type { OrderAnswer } from '../../rules/supplier/records.ts'
import type { Faults } from './faults.ts'
import type { SupplierHttp, SupplierHttpConfig } from './http.ts'
import { listCheck, notSent, readBatch, readBrand, readCategory, readProduct, writeOrder } from './wire.ts'

const PAGE_SIZE = 100
/** Limits a page, whatever size was asked for. */
const MAX_PAGE_ITEMS = 10_000
/** Limits a list without pages. */
const MAX_LIST_ITEMS = 100_000

/**
 * Creates a client of the supplier's stock system (docs/supplier.md). The reading calls throw SupplierError.
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

  /**
   * Reads a list, or a page of one.
   * @returns `length`: characters of the answer; `clock`: the supplier's time of it, in whole seconds, or null
   */
  async function list<T extends { externalId: string }>(
    path: string,
    read: (item: unknown, timeZone: string, faults: Faults) => T,
    since: Date | null,
    signal: AbortSignal,
    page: number | null = null,
  ) {
    const query = {
      ...(page !== null && { page, limit: PAGE_SIZE }),
      ...(since !== null && { dateFrom: formatDateFrom(since, timeZone) }),
    }
    const maxItems = page === null ? MAX_LIST_ITEMS : MAX_PAGE_ITEMS
    const { body, length, date } = await (await http()).getJson(path, query, { signal, maxItems })
    const answer = page === null ? { ...Object(body), nextPage: null } : body
    if (!listCheck.Check(answer)) {
      const fault = listCheck.Errors(answer).First()
      throw new SupplierError(`${path}: not a valid list: ${fault?.path || 'the body'}: ${fault?.message}`)
    }
    const { items, nextPage } = answer
    const batch = await readBatch(items, (item, faults) => read(item, timeZone, faults))
    return { ...batch, nextPage, length, clock: parseHttpDate(date) }
  }

  return {
    categories: (since: Date | null, signal: AbortSignal) => list('ListCategories', readCategory, since, signal),
    brands: (since: Date | null, signal: AbortSignal) => list('ListBrands', readBrand, since, signal),
    /** `nextPage` is null on the last page. */
    async products(page: number, since: Date | null, signal: AbortSignal) {
      const answer = await list('ListProducts', readProduct, since, signal, page)
      const { nextPage } = answer
      if (nextPage === null || nextPage > page) return answer
      throw new SupplierError(`ListProducts named ${nextPage} as the page after ${page}`)
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
