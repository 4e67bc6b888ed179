import type { FastifyInstance } from 'fastify'
import type { Catalogue } from './catalogue.ts'
import { type Faults, readFaultSettings } from './faults.ts'
import type { OrderBook } from './orders.ts'

interface ControlParts {
  readonly catalogue: Catalogue
  readonly faults: Faults
  readonly orderBook: OrderBook
}

const MAX_CHANGES = 100_000

/** Routes to set faults, change the catalogue, and list orders. */
export function addControlRoutes(app: FastifyInstance, { catalogue, faults, orderBook }: ControlParts): void {
  app.get('/faults', () => faults.settings())

  // PUT resets every fault that the body doesn't name.
  app.put('/faults', (request, reply) => {
    const settings = readFaultSettings(request.body)
    if (typeof settings === 'string') return reply.code(400).send({ error: settings })
    faults.reset()
    faults.set(settings)
    return faults.settings()
  })

  app.post<{ Querystring: { count?: string } }>('/changes', (request, reply) => {
    const count = Number(request.query.count ?? '1')
    if (!Number.isInteger(count) || count < 1 || count > MAX_CHANGES) {
      return reply.code(400).send({ error: `count: an integer from 1 to ${MAX_CHANGES}` })
    }
    return { changed: catalogue.changeSome(count) }
  })

  app.get('/orders', () => orderBook.orders)
}
