import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Catalogue, DemoBrand, DemoCategory, DemoProduct } from './catalogue.ts'
import type { Faults } from './faults.ts'
import { ListJson } from './list-json.ts'
import { BadRequest, NewOrder, type OrderBook } from './orders.ts'
import { pagePath } from './product-page.ts'
import type { SupplierTime } from './supplier-time.ts'

interface SupplierCredentials {
  /** Unset: no token is required. */
  readonly token?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly authType: 'TOKEN' | 'BASIC'
}

interface ApiParts {
  readonly catalogue: Catalogue
  readonly credentials: SupplierCredentials
  readonly time: SupplierTime
  readonly faults: Faults
  readonly orderBook: OrderBook
  /** URL of the storefront, known once the server listens. */
  readonly siteUrl: () => string
}

const MAX_LIMIT = 1000
const DEFAULT_LIMIT = '100'

/** The supplier's API (contract section 8): lists of the catalogue and CreateOrder. */
export function addApiRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { catalogue, time, faults, orderBook } = parts
  const categories = new ListJson<DemoCategory>(catalogue.categories, ({ id, name, parentId, updatedAt }) => {
    return { id, name, parentId, updatedAt: time.format(updatedAt) }
  })
  const brands = new ListJson<DemoBrand>(catalogue.brands, ({ id, name, updatedAt }) => {
    return { id, name, updatedAt: time.format(updatedAt) }
  })
  const products = new ListJson<DemoProduct>(catalogue.products, (product) => wireProduct(product, parts))

  app.addHook('onRequest', async (request, reply) => {
    const { token, authorization } = request.headers
    if (!isAuthorized(parts.credentials, token, authorization)) return reply.code(401).send({ error: 'wrong token' })
  })

  app.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ error: error.message }),
  )
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'no such method' }))

  app.get('/ListCategories', (request, reply) =>
    sendJson(reply, `{"items":${categories.all(since(request.url, time))}}`),
  )
  app.get('/ListBrands', (request, reply) => sendJson(reply, `{"items":${brands.all(since(request.url, time))}}`))

  app.get('/ListProducts', (request, reply) => {
    const query = queryOf(request.url)
    const page = positiveInteger(query, 'page', '1', Number.MAX_SAFE_INTEGER)
    const limit = positiveInteger(query, 'limit', DEFAULT_LIMIT, MAX_LIMIT)
    const { items, more } = products.page(page, limit, since(request.url, time))
    const nextPage = faults.stuckNextPage ? page : more ? page + 1 : null
    return sendJson(reply, `{"items":${items},"page":${page},"nextPage":${nextPage}}`)
  })

  app.post<{ Body: NewOrder }>('/CreateOrder', { schema: { body: NewOrder } }, (request, reply) => {
    const { id } = orderBook.place(request.body)
    if (!faults.takeLostAnswer()) return reply.send({ id })
    reply.hijack()
    reply.raw.destroy()
    return reply
  })
}

function wireProduct(product: DemoProduct, { siteUrl, time }: ApiParts): unknown {
  const { id, name, description, price, stock, categoryId, brandId, active, attributes } = product
  const url = product.pageUrl ?? siteUrl() + pagePath(id)
  const updatedAt = time.format(product.updatedAt)
  return { id, name, description, price, stock, categoryId, brandId, active, url, attributes, updatedAt }
}

function isAuthorized(credentials: SupplierCredentials, token: unknown, authorization: string | undefined): boolean {
  if (credentials.token !== undefined && token !== credentials.token) return false
  if (credentials.authType !== 'BASIC') return true
  const pair = Buffer.from(`${credentials.username ?? ''}:${credentials.password ?? ''}`).toString('base64')
  return authorization === `Basic ${pair}`
}

function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}

function queryOf(url: string): URLSearchParams {
  const mark = url.indexOf('?')
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark))
}

function positiveInteger(query: URLSearchParams, name: string, fallback: string, max: number): number {
  const text = query.get(name) ?? fallback
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > max) throw new BadRequest(`${name}: an integer from 1 to ${max}`)
  return value
}

/** `dateFrom` in epoch milliseconds; undefined when absent. */
function since(url: string, time: SupplierTime): number | undefined {
  const text = queryOf(url).get('dateFrom')
  if (text === null) return undefined
  const moment = time.parse(text)
  if (moment === undefined) throw new BadRequest('dateFrom: dd.MM.yyyy HH:mm:ss.SSS is expected')
  return moment
}
