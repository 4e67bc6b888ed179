import type { FastifyInstance } from 'fastify'
import type { Catalogue } from './catalogue.ts'
import type { OrderBook } from './orders.ts'

interface ControlParts {
  readonly catalogue: Catalogue
  readonly orderBook: OrderBook
}

const MAX_CHANGES = 100_000

/** Routes to change the catalogue and to list the orders received. */
export function addControlRoutes(app: FastifyInstance, { catalogue, orderBook }: ControlParts): void {
  app.post<{ Querystring: { count?: string } }>('/changes', (request, reply) => {
    const count = Number(request.query.count ?? '1')
    if (!Number.isInteger(count) || count < 1 || count > MAX_CHANGES) {
      return reply.code(400).send({ error: `count: an integer from 1 to ${MAX_CHANGES}` })
    }
    return { changed: catalogue.changeSome(count) }
  })

  app.get('/orders', () => orderBook.orders)
}
