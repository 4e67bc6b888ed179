import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { newImage } from '../support/images.ts'
import { type Answer, accepted, type Request } from './client.ts'
import type { Instance, World } from './world.ts'

/** What the shop has confirmed to its clients. */
export type Confirmed = {
  /** Order ids by customer name, one for each answer. */
  orders: Map<string, number[]>
  /** Hashes by image id. */
  images: Map<number, string>
  /** Requests sent, and those without an answer or with a 5xx. */
  requests: number
  unanswered: number
  /** Milliseconds until the slowest answer, successful or not, of requests that don't wait for the supplier. */
  slowestMs: number
}

type Call = (method: string, path: string, request?: Request) => Promise<Answer>
type Client = { world: World; call: Call; confirmed: Confirmed; random: () => number }
type Action = (client: Client) => Promise<void>

const CLIENTS = 6
const PAUSE_MS = 30
/** They answer when the supplier has. */
const WAITING = /\/(submit|sync\/run)/
const WORDS = ['дрель', 'лампа', 'кабель', 'чайник', 'шуруповерт', 'бумага', 'монитр']
const PRODUCTS = 200

/** With a weight each. */
const ACTIONS: [number, Action][] = [
  [20, readStorefront],
  [8, placeOrder],
  [3, submitSomeOrder],
  [3, cancelSomeOrder],
  [6, editProduct],
  [2, editCategory],
  [2, editSetting],
  [3, editTag],
  [4, uploadAndLink],
  [2, sync],
]

/** Clients that do random things at random instances, until stopped. Each repeats what wasn't answered. */
export function startTraffic(world: World, instances: Instance[], random: () => number) {
  const confirmed: Confirmed = {
    orders: new Map(),
    images: new Map(),
    requests: 0,
    unanswered: 0,
    slowestMs: 0,
  }
  let stopping = false
  const bag = ACTIONS.flatMap(([weight, action]) => Array<Action>(weight).fill(action))

  async function call(method: string, path: string, request?: Request): Promise<Answer> {
    for (;;) {
      const instance = instances[Math.floor(random() * instances.length)]
      confirmed.requests += 1
      // A process that starts isn't asked yet.
      await instance?.url().catch(() => {})
      const began = performance.now()
      try {
        return await world.call(method, path, { timeoutMs: 30_000, ...request }, instance)
      } catch (error) {
        confirmed.unanswered += 1
        if (stopping) throw error
        await delay(PAUSE_MS)
      } finally {
        if (!WAITING.test(path)) confirmed.slowestMs = Math.max(confirmed.slowestMs, performance.now() - began)
      }
    }
  }

  async function behave(): Promise<void> {
    while (!stopping) {
      const action = bag[Math.floor(random() * bag.length)]
      // A refusal (404, 409, 412) is an answer.
      await action?.({ world, call, confirmed, random }).catch(() => {})
      await delay(PAUSE_MS)
    }
  }

  const clients = Array.from({ length: CLIENTS }, behave)
  return {
    confirmed,
    async stop() {
      stopping = true
      await Promise.all(clients)
    },
  }
}

const below = ({ random }: Client, limit: number) => Math.floor(random() * limit)
const someProduct = (client: Client) => 1 + below(client, PRODUCTS)

async function readStorefront(client: Client): Promise<void> {
  const word = encodeURIComponent(WORDS[below(client, WORDS.length)] ?? '')
  const paths = [
    `products?page=${below(client, 5)}&sort=price`,
    `products?search=${word}`,
    `products/facets?categoryId=${1 + below(client, 70)}`,
    `products/${someProduct(client)}`,
    `products/suggest?q=${word}`,
    'categories/tree',
    'config/public',
    'tags',
    'yml-catalog.xml',
  ]
  await client.call('GET', `/api/v1/${paths[below(client, paths.length)]}`, { token: undefined })
}

async function placeOrder(client: Client): Promise<void> {
  const customerName = `Customer ${randomUUID()}`
  const items = [
    { productId: someProduct(client), quantity: 1 },
    { productId: someProduct(client), quantity: 2 },
  ]
  const body = { customerName, customerPhone: '+7 900 123-45-67', items }
  const headers = { 'idempotency-key': customerName }
  for (let times = 0; times < 2; times++) {
    const answer = await client.call('POST', '/api/v1/orders', { token: undefined, body, headers })
    const { id } = accepted<{ id: number }>(answer, 201)
    const { orders } = client.confirmed
    orders.set(customerName, [...(orders.get(customerName) ?? []), id])
  }
}

function someOrder(client: Client): number | undefined {
  const ids = [...client.confirmed.orders.values()].flat()
  return ids[below(client, ids.length)]
}

async function submitSomeOrder(client: Client): Promise<void> {
  const id = someOrder(client)
  if (id !== undefined) await client.call('POST', `/api/v1/admin/orders/${id}/submit`)
}

async function cancelSomeOrder(client: Client): Promise<void> {
  const id = someOrder(client)
  if (id === undefined) return
  const status = client.random() < 0.5 ? 'CANCELLED' : 'PROCESSING'
  await client.call('PATCH', `/api/v1/admin/orders/${id}`, { body: { status } })
}

async function editProduct(client: Client): Promise<void> {
  const changes = [
    { sitePrice: 1 + below(client, 100_000) / 100 },
    { sitePrice: null },
    { active: false },
    { active: null },
    { metaTitle: `Title ${below(client, 1000)}` },
  ]
  const body = changes[below(client, changes.length)]
  await client.call('PATCH', `/api/v1/products/${someProduct(client)}`, { body })
}

async function editCategory(client: Client): Promise<void> {
  const id = 1 + below(client, 79)
  const { name } = accepted<{ name: string }>(await client.call('GET', `/api/v1/categories/${id}`), 200)
  const body = { name, enabled: client.random() < 0.7, displayOrder: below(client, 10) }
  await client.call('PUT', `/api/v1/categories/${id}`, { body })
}

async function editSetting(client: Client): Promise<void> {
  await client.call('PUT', '/api/v1/admin/config/site_name', {
    body: { value: `Shop ${below(client, 1000)}` },
  })
}

async function editTag(client: Client): Promise<void> {
  const name = `Tag ${below(client, 1e6)}`
  const { id } = accepted<{ id: number }>(await client.call('POST', '/api/v1/tags', { body: { name } }), 201)
  await client.call('PUT', `/api/v1/products/${someProduct(client)}/tags`, { body: { tagIds: [id] } })
  await client.call('PUT', `/api/v1/tags/${id}`, { body: { name: `${name} renamed` } })
  if (client.random() < 0.5) await client.call('DELETE', `/api/v1/tags/${id}`)
}

async function uploadAndLink(client: Client): Promise<void> {
  const bytes = await newImage()
  const form = new FormData()
  form.append('file', new File([new Uint8Array(bytes)], 'picture.png'))
  const { id } = accepted<{ id: number }>(await client.call('POST', '/api/v1/images', { form }), 200, 201)
  client.confirmed.images.set(id, createHash('sha256').update(bytes).digest('hex'))
  await client.call('POST', `/api/v1/products/${someProduct(client)}/images/${id}`, { body: {} })
  if (client.random() < 0.7) return
  client.confirmed.images.delete(id)
  await client.call('DELETE', `/api/v1/images/${id}?force=true`)
}

async function sync(client: Client): Promise<void> {
  client.world.supplier.catalogue.changeSome(20)
  const full = client.random() < 0.3 ? '&full=true' : ''
  await client.call('POST', `/admin/sync/run?wait=${client.random() < 0.5}${full}`)
}
