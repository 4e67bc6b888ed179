import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ServerMessage } from '../../../src/schemas/events.ts'
import { loginAs } from '../../support/accounts.ts'
import { type EventClient, openEvents } from '../../support/events.ts'
import { createProduct } from '../../support/factories.ts'
import { sendOrder } from '../../support/orders.ts'
import { PROCESS_TIMEOUT_MS } from '../../support/serving-process.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

const CHANGES = 800
const WRITERS = 4
const PRODUCTS_PER_WRITER = 20
const shops: TestShop[] = []
let admin: string

beforeAll(async () => {
  const first = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  const { databaseUrl } = first.deps.config
  shops.push(first)
  for (const _ of [2, 3]) shops.push(await startTestShop({ RATE_LIMIT_ORDERS: '0' }, { databaseUrl }))
  admin = await loginAs(first, 'ADMIN')
})
afterAll(async () => {
  for (const shop of shops.toReversed()) await shop.close()
})

/** What the public sees of a product; null: nothing. */
type Shown = { price: number; available: boolean } | null
type Order = { status: string; version: number }
type OrderMessage = Extract<ServerMessage, { type: 'order.created' | 'order.changed' }>

/** The states of each product in their order: only one writer changes it, and no price comes twice. */
const journal = new Map<number, Shown[]>()
const stateOf = (id: number): Shown => journal.get(id)?.at(-1) ?? null
const isSame = (a: Shown, b: Shown) => a?.price === b?.price && a?.available === b?.available

let seed = 7
const random = (below: number) => {
  seed = (seed * 1103515245 + 12345) % 2 ** 31
  return Math.floor((seed / 2 ** 31) * below)
}
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T

/** Repeats a request that a busy machine answers with 503. */
async function untilServed<A extends { status: number }>(request: () => Promise<A>): Promise<A> {
  let answer = await request()
  while (answer.status === 503) answer = await request()
  return answer
}

/** Reads one product by its own address, several in a list. */
async function readProducts(shop: TestShop, ids: number[]): Promise<Map<number, Shown>> {
  const [id, ...others] = ids
  const isList = others.length > 0
  const path = isList ? `?ids=${ids.join()}&size=${ids.length}` : `/${id}`
  const response = await untilServed(() => fetch(`${shop.url}/api/v1/products${path}`))
  const body = JSON.parse(await response.text())
  const found: { id: number; finalPrice: number; available: boolean }[] = isList
    ? body.content
    : response.status === 404
      ? []
      : [body]
  const shown = new Map<number, Shown>(ids.map((one) => [one, null]))
  for (const { id, finalPrice: price, available } of found) shown.set(id, { price, available })
  return shown
}

async function readOrder(shop: TestShop, id: number): Promise<Order> {
  const headers = { authorization: `Bearer ${admin}` }
  const url = `${shop.url}/api/v1/admin/orders/${id}`
  return JSON.parse(await (await untilServed(() => fetch(url, { headers }))).text())
}

type Told = { id: number; told: Shown }

/** Compares all that one instance tells with what can be read from it on arrival. */
class Follower {
  readonly faults: string[] = []
  readonly products = new Map<number, Shown>()
  readonly orders = new Map<number, string>()
  reads = 0
  #reading = new Set<Promise<void>>()
  #known = new Map<number, number>()
  /** What arrived together. */
  #burst: Told[] = []
  readonly #shop: TestShop

  constructor(shop: TestShop, { socket }: EventClient) {
    this.#shop = shop
    socket.on('message', (data) => this.#follow(JSON.parse(String(data))))
  }

  async settle(): Promise<void> {
    while (this.#reading.size > 0) await Promise.all(this.#reading)
  }

  #check(work: () => Promise<void>): void {
    const reading = work().catch((error) => void this.faults.push(String(error)))
    this.#reading.add(reading)
    void reading.then(() => this.#reading.delete(reading))
  }

  #follow(message: ServerMessage): void {
    this.reads += 1
    if (message.type === 'product.changed') {
      const { id, active, finalPrice, available } = message
      const told = active ? { price: Number(finalPrice), available } : null
      this.products.set(id, told)
      this.#burst.push({ id, told })
      if (this.#burst.length === 1) this.#check(() => this.#checkBurst())
    }
    if (message.type === 'order.created' || message.type === 'order.changed')
      this.#check(() => this.#checkOrder(message))
  }

  async #checkBurst(): Promise<void> {
    await nextTurn()
    const burst = this.#burst.splice(0).map(({ id, told }) => {
      const states = journal.get(id) ?? []
      const since = states.findIndex((state, at) => at >= (this.#known.get(id) ?? 0) && isSame(state, told))
      if (since >= 0) this.#known.set(id, since)
      return { id, states, since }
    })
    const read = await readProducts(this.#shop, [...new Set(burst.map(({ id }) => id))])
    for (const { id, states, since } of burst) {
      const at = states.findLastIndex((state) => isSame(state, read.get(id) ?? null))
      if (since < 0 || at < since) this.faults.push(`product ${id}: told ${since}, read ${at} of ${states.length}`)
    }
  }

  async #checkOrder(message: OrderMessage): Promise<void> {
    const { status, version } = await readOrder(this.#shop, message.id)
    const told = 'version' in message ? message.version : 0
    if (version < told) this.faults.push(`order ${message.id}: told ${told}, read ${version}`)
    if ('status' in message) this.orders.set(message.id, message.status)
    else if (!status) this.faults.push(`order ${message.id} can't be read`)
  }
}

let lastPrice = 1000
let changes = 0
const orders = new Map<number, string>()

async function write(ids: number[]): Promise<void> {
  while (changes < CHANGES) {
    const action = random(10)
    if (action < 7)
      await changeProducts(
        ids.filter(() => random(4) > 0),
        { sitePrice: ++lastPrice },
      )
    else if (action < 9) await changeProducts([pick(ids)], { active: random(2) === 0 })
    else await order(pick(ids))
  }
  // What only these changed must be told, too.
  for (const id of ids.slice(0, 5)) await order(id)
}

async function changeProducts(ids: number[], set: { sitePrice?: number; active?: boolean }): Promise<void> {
  if (ids.length === 0) return
  for (const id of ids) {
    const { price, available } = prices.get(id) ?? { price: 0, available: true }
    const next = {
      price: set.sitePrice ?? price,
      available,
      active: set.active ?? prices.get(id)?.active ?? true,
    }
    prices.set(id, next)
    journal.get(id)?.push(next.active ? { price: next.price, available } : null)
  }
  changes += ids.length
  await patch('/api/v1/products', { ids, set })
}

async function patch(path: string, body: object): Promise<void> {
  const { status, text } = await untilServed(() => pick(shops).call('PATCH', path, { token: admin, body }))
  if (status !== 200) throw new Error(text)
}
const prices = new Map<number, { price: number; available: boolean; active: boolean }>()

/** Orders the last piece, which makes the product unavailable, and sometimes cancels that again. */
async function order(id: number): Promise<void> {
  if (!prices.get(id)?.active || !stateOf(id)?.available) return
  setAvailable(id, false)
  const placed = await untilServed(() => sendOrder(pick(shops), [{ productId: id, quantity: 1 }]))
  if (placed.status !== 201) throw new Error(placed.text)
  const { id: orderId } = placed.body as { id: number }
  const status = pick(['CANCELLED', 'CANCELLED', 'PROCESSING'])
  if (status === 'CANCELLED') setAvailable(id, true)
  await patch(`/api/v1/admin/orders/${orderId}`, { status })
  orders.set(orderId, status)
}

function setAvailable(id: number, available: boolean): void {
  const product = prices.get(id)
  if (!product) return
  product.available = available
  journal.get(id)?.push({ price: product.price, available })
  changes += 1
}

test('what is announced of many changes can be read on each of three instances', async () => {
  const ids: number[] = []
  for (let n = 0; n < WRITERS * PRODUCTS_PER_WRITER; n++) {
    const id = await createProduct(shops[0]?.deps.db as TestShop['deps']['db'], { price: '1000', stock: 1 })
    ids.push(id)
    prices.set(id, { price: 1000, available: true, active: true })
    journal.set(id, [{ price: 1000, available: true }])
  }
  const topics = [...ids.map((id) => `product:${id}`), 'orders']
  const followers = await Promise.all(
    shops.map(async (shop) => {
      const client = await openEvents(shop.url)
      await client.subscribe(topics, admin)
      // From now on the caches hold what changes will make stale.
      await readProducts(shop, ids)
      await Promise.all(ids.map((id) => readProducts(shop, [id])))
      return new Follower(shop, client)
    }),
  )
  const groups = Array.from({ length: WRITERS }, (_, n) => ids.filter((_id, at) => at % WRITERS === n))
  await Promise.all(groups.map(write))
  const last = Object.fromEntries(ids.map((id) => [id, stateOf(id)]))
  for (const follower of followers) {
    const told = () => Object.fromEntries(ids.map((id) => [id, follower.products.get(id) ?? last[id]]))
    await expect.poll(told, { timeout: PROCESS_TIMEOUT_MS }).toEqual(last)
    await expect.poll(() => follower.orders, { timeout: PROCESS_TIMEOUT_MS }).toEqual(orders)
    await follower.settle()
    expect(follower.faults).toEqual([])
    expect(follower.products.size).toBe(ids.length)
    expect(follower.orders.size).toBeGreaterThan(WRITERS)
    expect(follower.reads).toBeGreaterThan(ids.length)
  }
})
