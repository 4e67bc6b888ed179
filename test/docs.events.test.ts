import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from './support/accounts.ts'
import { createProduct } from './support/factories.ts'
import { PROCESS_TIMEOUT_MS } from './support/serving-process.ts'
import { startTestShop, type TestShop } from './support/shop.ts'

let shop: TestShop
const connections = new Set<Socket>()
const page = { isOpen: true, sockets: new Set<WebSocket>() }

beforeAll(async () => {
  shop = await startTestShop()
  // Without those that are kept alive for the test's own requests.
  shop.app.server.on('upgrade', (_request, socket: Socket) => connections.add(socket))
})
afterAll(async () => {
  page.isOpen = false
  for (const socket of page.sockets) socket.close()
  await shop.close()
})

class PageSocket extends WebSocket {
  constructor(url: string) {
    super(url)
    page.sockets.add(this)
  }
}

test(
  'the example of docs/events.md keeps a list fresh, also after its connection was cut',
  async () => {
    const text = await readFile(join(import.meta.dirname, '../docs/events.md'), 'utf8')
    const [, example = ''] = /^```js\n(.*?)^```$/ms.exec(text) ?? []
    expect(example.split('\n').length).toBeLessThanOrEqual(37)
    const id = await createProduct(shop.deps.db, { price: '100.00' })
    const token = await loginAs(shop, 'ADMIN')
    let shown: number | undefined
    const environment = {
      show: ([product]: { finalPrice: number }[]) => {
        shown = product?.finalPrice
      },
      setTimeout: (work: () => void, ms: number) => setTimeout(() => page.isOpen && work(), ms),
      fetch,
      clearTimeout,
      console,
      WebSocket: PageSocket,
    }
    runInContext(example.replace('https://api.shop.example', shop.url), createContext(environment))
    const shows = (price: number) => expect.poll(() => shown, { timeout: PROCESS_TIMEOUT_MS }).toBe(price)
    await shows(100)
    const change = (sitePrice: number) => shop.call('PATCH', `/api/v1/products/${id}`, { token, body: { sitePrice } })
    await change(90)
    await shows(90)
    for (const socket of connections) socket.destroy()
    await change(80)
    await shows(80)
  },
  PROCESS_TIMEOUT_MS,
)
