import autocannon from 'autocannon'

const PAGES = 400
const RATES = [0, 5, 10, 20]

type Beside = { orders: string; 'reads/s': number; 'of alone': string; 'p99 ms': number; errors: number }

/**
 * What orders cost those who read: cached lists and cards, as many different ones as a cache holds, beside a steady
 * stream of orders.
 * @param productIds products that can be ordered without running out
 */
export async function readsBesideOrders(
  shopUrl: string,
  productIds: number[],
  seconds: number,
): Promise<Beside[]> {
  const paths = Array.from({ length: PAGES }, (_, page) => [
    `/api/v1/products?size=20&page=${page}`,
    `/api/v1/products/${productIds[page % productIds.length]}`,
  ]).flat()
  // Everything is held before the first measurement.
  for (const path of paths) await (await fetch(shopUrl + path)).arrayBuffer()

  const rows: Beside[] = []
  let alone = 0
  for (const rate of RATES) {
    const orders = placeSteadily(shopUrl, productIds, rate)
    const reads = await autocannon({
      url: shopUrl,
      connections: 20,
      duration: seconds,
      requests: shuffled(paths),
    })
    const { placed, failed } = await orders.stop()
    alone ||= reads.requests.average
    rows.push({
      orders: `${rate}/s (${placed} placed)`,
      'reads/s': Math.round(reads.requests.average),
      'of alone': `${Math.round((reads.requests.average / alone) * 100)} %`,
      'p99 ms': reads.latency.p99,
      errors: reads.errors + reads.non2xx + failed,
    })
  }
  return rows
}

function placeSteadily(shopUrl: string, productIds: number[], perSecond: number) {
  const underWay = new Set<Promise<void>>()
  const counts = { placed: 0, failed: 0 }
  let next = 0

  async function place(): Promise<void> {
    const items = [0, 1, 2].map((n) => ({
      productId: productIds[(next + n * 7) % productIds.length],
      quantity: 1,
    }))
    next += 1
    const response = await fetch(`${shopUrl}/api/v1/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ items, customerName: 'Bench', customerPhone: `+7 900 ${next}` }),
    })
    await response.arrayBuffer()
    if (response.status === 201) counts.placed += 1
    else counts.failed += 1
  }

  const timer =
    perSecond > 0
      ? setInterval(() => {
          const placing = place().finally(() => underWay.delete(placing))
          underWay.add(placing)
        }, 1000 / perSecond)
      : undefined
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
      return counts
    },
  }
}

/** Each path once, in an order that doesn't follow the pages. */
function shuffled(paths: string[]): { path: string }[] {
  return paths.map((_, index) => ({ path: paths[(index * 337) % paths.length] ?? '/' }))
}
