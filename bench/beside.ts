import { load, summary } from './load.ts'
import { share } from './table.ts'

/** As many lists and cards as the cache can store. */
const PAGES = 200
const CONNECTIONS = 32

type Beside = { name: string; perSecond: number; send(turn: number): Promise<Response> }

/**
 * Measures cached lists and cards beside a steady stream of orders or logins.
 * @param productIds products with enough stock for every order
 */
export async function readsBeside(
  shopUrl: string,
  productIds: number[],
  login: object,
  seconds: number,
): Promise<Record<string, string | number>[]> {
  const paths = Array.from({ length: PAGES }, (_, page) => [
    `/api/v1/products?size=20&page=${page}`,
    `/api/v1/products/${productIds[page % productIds.length]}`,
  ]).flat()
  const post = (path: string, body: object) =>
    fetch(shopUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const order = (turn: number) => post('/api/v1/orders', orderOf(productIds, turn))
  const besides: Beside[] = [
    { name: 'nothing', perSecond: 0, send: order },
    { name: 'orders', perSecond: 10, send: order },
    { name: 'logins', perSecond: 3, send: () => post('/api/v1/auth/login', login) },
  ]

  const rows: Record<string, string | number>[] = []
  let alone = 0
  for (const { name, perSecond, send } of besides) {
    // An answer is cached when it is asked for the second time.
    for (const path of [...paths, ...paths]) await (await fetch(shopUrl + path)).arrayBuffer()
    const others = steadily(perSecond, send)
    const reads = summary([await load(shopUrl, shuffled(paths), { connections: CONNECTIONS, seconds })])
    const { done, failed } = await others.stop()
    alone ||= reads.perSecond
    rows.push({
      beside: perSecond === 0 ? name : `${perSecond} ${name} a second (${done} done)`,
      'reads/s': reads.perSecond,
      'of alone': share(reads.perSecond, alone),
      'p99 ms': reads.p99Ms,
      errors: reads.errors + failed,
    })
  }
  return rows
}

function orderOf(productIds: number[], turn: number): object {
  const items = [0, 1, 2].map((n) => ({
    productId: productIds[(turn + n * 7) % productIds.length],
    quantity: 1,
  }))
  return { items, customerName: 'Bench', customerPhone: `+7 900 ${turn + 100}` }
}

function steadily(perSecond: number, send: Beside['send']) {
  const underWay = new Set<Promise<void>>()
  const counts = { done: 0, failed: 0 }
  let turn = 0

  async function one(): Promise<void> {
    const response = await send(turn++)
    await response.arrayBuffer()
    counts[response.ok ? 'done' : 'failed'] += 1
  }

  const begin = () => {
    const sending = one().finally(() => underWay.delete(sending))
    underWay.add(sending)
  }
  const timer = perSecond > 0 ? setInterval(begin, 1000 / perSecond) : undefined
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
      return counts
    },
  }
}

/** Each path once, shuffled. */
function shuffled(paths: string[]): { method: 'GET'; path: string }[] {
  return paths.map((_, index) => ({ method: 'GET', path: paths[(index * 337) % paths.length] ?? '/' }))
}
