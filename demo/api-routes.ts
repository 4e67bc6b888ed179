import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { Catalogue } from './catalogue.ts'
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
  readonly orderBook: OrderBook
}

const ListQuery = Type.Object({ dateFrom: Type.Optional(Type.String()) })
type ListQuery = Static<typeof ListQuery>

const ProductsQuery = Type.Object({
  ...ListQuery.properties,
  page: Type.String({ pattern: '^[1-9][0-9]{0,8}$', default: '1' }),
  // From 1 to 1000.
  limit: Type.String({ pattern: '^([1-9][0-9]{0,2}|1000)$', default: '100' }),
})
type ProductsQuery = Static<typeof ProductsQuery>

/** The supplier's API (docs/supplier.md): lists of the catalogue and CreateOrder. */
export function addApiRoutes(app: FastifyInstance, { catalogue, credentials, time, orderBook }: ApiParts): void {
  app.addHook('onRequest', async (request, reply) => {
    const { token, authorization } = request.headers
    if (!isAuthorized(credentials, token, authorization)) return reply.code(401).send({ error: 'wrong token' })
  })

  app.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ error: error.message }),
  )
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'no such method' }))

  app.get<{ Querystring: ListQuery }>('/ListCategories', { schema: { querystring: ListQuery } }, (request, reply) => {
    const items = catalogue.categories
      .since(parseDate(request.query.dateFrom, time))
      .map(({ id, name, parentId, updatedAt }) => ({ id, name, parentId, updatedAt: time.format(updatedAt) }))
    return reply.send({ items })
  })

  app.get<{ Querystring: ListQuery }>('/ListBrands', { schema: { querystring: ListQuery } }, (request, reply) => {
    const items = catalogue.brands
      .since(parseDate(request.query.dateFrom, time))
      .map(({ id, name, updatedAt }) => ({ id, name, updatedAt: time.format(updatedAt) }))
    return reply.send({ items })
  })

  app.get<{ Querystring: ProductsQuery }>(
    '/ListProducts',
    { schema: { querystring: ProductsQuery } },
    (request, reply) => {
      const [page, limit] = [Number(request.query.page), Number(request.query.limit)]
      const products = catalogue.products.since(parseDate(request.query.dateFrom, time))
      const site = `${request.protocol}://${request.host}`
      const items = products.slice((page - 1) * limit, page * limit).map((product) => ({
        id: product.id,
        name: product.name,
        description: product.description,
        price: product.price,
        stock: product.stock,
        categoryId: product.categoryId,
        brandId: product.brandId,
        active: product.active,
        url: product.pageUrl ?? site + pagePath(product.id),
        attributes: product.attributes,
        updatedAt: time.format(product.updatedAt),
      }))
      return reply.send({ items, page, nextPage: page * limit < products.length ? page + 1 : null })
    },
  )

  app.post<{ Body: NewOrder }>('/CreateOrder', { schema: { body: NewOrder } }, (request, reply) => {
    const { id } = orderBook.place(request.body)
    return reply.send({ id })
  })
}

function isAuthorized(credentials: SupplierCredentials, token: unknown, authorization: string | undefined): boolean {
  if (credentials.token !== undefined && token !== credentials.token) return false
  if (credentials.authType !== 'BASIC') return true
  const pair = Buffer.from(`${credentials.username ?? ''}:${credentials.password ?? ''}`).toString('base64')
  return authorization === `Basic ${pair}`
}

/** @returns epoch milliseconds; undefined without a date */
function parseDate(text: string | undefined, time: SupplierTime): number | undefined {
  if (text === undefined) return undefined
  const epochMs = time.parse(text)
  if (epochMs === undefined) throw new BadRequest('dateFrom: dd.MM.yyyy HH:mm:ss.SSS is expected')
  return epochMs
}
