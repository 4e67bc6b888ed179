import { pino } from 'pino'
import { readConfig } from '../src/config.ts'
import { placeOrder } from '../src/services/orders/place.ts'
import { openShop } from '../src/shop.ts'
import { overhear, type Statement } from '../test/support/statements.ts'
import type { HttpCase } from './http-cases.ts'

const ORDERS = 500

/**
 * Orders of three lines, spread over the catalogue. The limit replays the statements of placing, recorded beforehand, in a
 * bare transaction.
 * @param productIds products in stock
 */
export async function orderCase(databaseUrl: string, productIds: number[]): Promise<HttpCase> {
  const bodies = Array.from({ length: ORDERS }, (_, order) => ({
    customerName: 'Анна Покупатель',
    customerPhone: '+7 900 000-00-00',
    items: [0, 1, 2].map((line) => ({
      productId: productIds[(order * 3 + line) % productIds.length] ?? 1,
      quantity: 1,
    })),
  }))
  const requests: unknown[][][] = []
  let texts: string[] = []
  const { place, close } = listeningShop(databaseUrl)
  for (const body of bodies) {
    const statements = await place(body)
    texts = statements.map(({ sql }) => sql)
    // A tracking token is unique: replayed orders have none.
    requests.push(
      statements.map(({ parameters }) => parameters.map((value) => (Buffer.isBuffer(value) ? null : value))),
    )
  }
  await close()
  return {
    name: 'order of three lines',
    budget: 0.6,
    requests: bodies.map((body) => ({ method: 'POST', path: '/api/v1/orders', body })),
    limit: { kind: 'bare transaction', statements: { texts, requests } },
  }
}

function listeningShop(databaseUrl: string) {
  const environment = readConfig({})
  const config = {
    ...environment,
    databaseUrl,
    jwtSecret: '',
    supplier: { ...environment.supplier, baseUrl: 'http://127.0.0.1:9' },
  }
  const { deps, close } = openShop(config, pino({ level: 'silent' }))
  const database = overhear(databaseUrl)
  const customer = { caller: null, customerId: null, address: '127.0.0.1', signal: new AbortController().signal }
  return {
    async place(body: Parameters<typeof placeOrder>[2]): Promise<Statement[]> {
      const statements = await database.statementsOf((db) => placeOrder({ ...deps, db }, customer, body, undefined))
      // Settings are read once, then cached.
      return statements.filter(({ sql }) => !sql.includes('app_config'))
    },
    async close(): Promise<void> {
      await database.close()
      await close()
    },
  }
}
