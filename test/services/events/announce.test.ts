import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordCheck } from '../../../db/queries/published/publications.ts'
import { checkAlerts } from '../../../src/services/operations/alerts.ts'
import { runScraping } from '../../../src/services/scraping/run.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
import { type EventClient, openEvents } from '../../support/events.ts'
import { createBrand, createCategory, createProduct } from '../../support/factories.ts'
import { type FeedServer, feedXml, startFeedServer } from '../../support/feed-server.ts'
import { placeOrder } from '../../support/orders.ts'
import type { TestShop } from '../../support/shop.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

let world: SupplierShop
let feed: FeedServer
let shop: TestShop
let admin: string

beforeAll(async () => {
  feed = await startFeedServer()
  world = await startSupplierShop(
    { XML_FEED_URL: feed.url, TRUST_PROXY: 'loopback', RATE_LIMIT_ORDERS: '0' },
    undefined,
    { publishes: true },
  )
  shop = world.shop
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await world.close()
  await feed.close()
})

const send = async (method: string, path: string, body?: unknown) => {
  const answer = await shop.call(method, path, { token: admin, ...(body === undefined ? {} : { body }) })
  expect([200, 201, 202, 204]).toContain(answer.status)
  return answer.body
}
let networks = 0
const listen = async (topics: string[], token?: string): Promise<EventClient> => {
  networks += 1
  const client = await openEvents(shop.url, { headers: { 'x-forwarded-for': `198.51.100.${networks}` } })
  await client.subscribe(topics, token)
  return client
}
/** What a client got until now: an event of another topic that was sent later has arrived. */
async function eventsOf(client: EventClient): Promise<object[]> {
  await client.subscribe(['catalogue'])
  await send('POST', '/api/v1/feature-items', { title: 'Last' })
  await client.next('catalogue.changed')
  return client.messages.filter(({ type }) => !['subscribed', 'catalogue.changed'].includes(type))
}
const available = (id: number) => ({
  type: 'product.changed',
  id,
  finalPrice: 100,
  available: true,
  active: true,
})

test('announces orders to staff and to their owners, and to nobody else', async () => {
  const productId = await createProduct(shop.deps.db, { stock: 9 })
  const [owner, other] = [await createUser(shop, 'USER'), await createUser(shop, 'USER')]
  const staff = await listen(['orders'], await loginAs(shop, 'MANAGER'))
  const own = await listen(['my-orders'], shop.app.signToken(owner))
  const others = await listen(['my-orders'], shop.app.signToken(other))
  const token = shop.app.signToken(owner)
  const { id, number, total } = await placeOrder(shop, [{ productId, quantity: 2 }], { token })
  expect(await staff.next('order.created')).toEqual({ type: 'order.created', id, number, total })
  expect(total).toBeGreaterThanOrEqual(200)
  expect(await own.next('order.changed')).toEqual({ type: 'order.changed', id, status: 'NEW' })
  const changed = await send('PATCH', `/api/v1/admin/orders/${id}`, { status: 'PROCESSING' })
  const { version } = changed as { version: number }
  expect(await staff.next('order.changed')).toEqual({
    type: 'order.changed',
    id,
    status: 'PROCESSING',
    version,
  })
  expect(await own.next('order.changed')).toEqual({ type: 'order.changed', id, status: 'PROCESSING' })
  await send('DELETE', `/api/v1/admin/orders/${id}`)
  expect(await staff.next('order.deleted')).toEqual({ type: 'order.deleted', id })
  expect(await eventsOf(others)).toEqual([])
})

test('announces the products of an order as changed', async () => {
  const productId = await createProduct(shop.deps.db, { stock: 1 })
  const client = await listen(['products', `product:${productId}`])
  await placeOrder(shop, [{ productId, quantity: 1 }])
  expect(await client.next('products.changed')).toEqual({ type: 'products.changed', ids: [productId] })
  expect(await client.next('product.changed')).toEqual({ ...available(productId), available: false })
})

test('announces nothing else of a product that is hidden or deleted', async () => {
  const id = await createProduct(shop.deps.db)
  const client = await listen([`product:${id}`])
  const hidden = { type: 'product.changed', id, finalPrice: null, available: false, active: false }
  await send('PATCH', `/api/v1/products/${id}`, { active: false })
  expect(await client.next('product.changed')).toEqual(hidden)
  await send('PATCH', `/api/v1/products/${id}`, { active: true })
  expect(await client.next('product.changed')).toEqual(available(id))
  await send('DELETE', `/api/v1/products/${id}`)
  expect(await client.next('product.changed')).toEqual(hidden)
})

test('announces contact requests to staff', async () => {
  const client = await listen(['contacts'], await loginAs(shop, 'MANAGER'))
  const body = { name: 'Anna', phone: '+79001234567', message: 'Hello' }
  const { id } = (await shop.call('POST', '/api/v1/contacts', { body })).body as { id: number }
  expect(await client.next('contact.created')).toEqual({ type: 'contact.created', id })
  await send('PUT', `/api/v1/admin/contacts/${id}/status`, { status: 'IN_PROGRESS' })
  expect(await client.next('contact.changed')).toEqual({ type: 'contact.changed', id, status: 'IN_PROGRESS' })
})

test('announces any product as changed when something else that products show does', async () => {
  const client = await listen(['products', 'catalogue'])
  const category = await createCategory(shop.deps.db)
  await createBrand(shop.deps.db)
  await send('PUT', `/api/v1/categories/${category}`, { name: 'Saws', enabled: true })
  expect(await client.next('products.changed')).toEqual({ type: 'products.changed', ids: null })
  expect(await client.next('catalogue.changed')).toEqual({ type: 'catalogue.changed' })
  await send('PUT', '/api/v1/admin/config/site_name', { value: 'Saws and more' })
  expect(await client.next('catalogue.changed')).toEqual({ type: 'catalogue.changed' })
})

test('announces the progress and the end of a sync, and the new feed', async () => {
  const client = await listen(['runs', 'catalogue', 'products'], admin)
  world.catalogue.upsertProduct({ id: 'S1', name: 'Saw' })
  const run = await world.sync()
  const { skippedRecords: _, feed: built, ...finished } = run
  // In either order: each is announced when it has been read.
  await expect
    .poll(() => client.messages)
    .toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'feed.published', offers: built?.offers }),
        expect.objectContaining({ ...finished, type: 'sync.finished' }),
      ]),
    )
  expect(client.messages.filter(({ type }) => type === 'sync.finished')).toHaveLength(1)
})

test('announces the stages and the end of a run of the XML pipeline', async () => {
  const client = await listen(['runs'], admin)
  feed.serve(feedXml({ categories: [{ id: '7', name: 'Saws' }], offers: [{ id: 'T1', categoryId: '7' }] }))
  const startedAt = performance.now()
  const { warnings: _, ...finished } = (await send('POST', '/api/v1/admin/xml-feed/sync?wait=true')) as {
    warnings: unknown
  }
  expect(await client.next('pipeline.finished')).toMatchObject({ ...finished, type: 'pipeline.finished' })
  const progress = client.messages.filter(({ type }) => type === 'pipeline.progress')
  // At once, and then at most once a second.
  expect(progress.length).toBeLessThanOrEqual(2 + Math.floor((performance.now() - startedAt) / 1000))
})

test('announces how many scraping tasks remain', async () => {
  const client = await listen(['runs'], admin)
  const productId = await createProduct(shop.deps.db)
  await send('POST', `/api/v1/admin/scrape-queue/product/${productId}/enqueue`, {})
  await runScraping(shop.deps)
  const last = { type: 'scrape.progress', pending: 0, done: 0, failed: 1 }
  await expect.poll(() => client.messages.at(-1)).toEqual(last)
})

test('announces the runs of a job, and its schedule switched on or off', async () => {
  const client = await listen(['jobs'], admin)
  await send('PATCH', '/api/v1/admin/jobs/purge', { enabled: false })
  expect(await client.next('job.changed')).toEqual({ type: 'job.changed', name: 'purge' })
  await send('POST', '/api/v1/admin/jobs/popularity/run')
  const popularity = { type: 'job.changed', name: 'popularity' }
  expect(await client.next('job.changed')).toEqual(popularity)
  await expect
    .poll(async () => {
      const jobs = (await send('GET', '/api/v1/admin/jobs')) as { name: string; running: boolean }[]
      return jobs.find(({ name }) => name === 'popularity')?.running
    })
    .toBe(false)
  await expect.poll(() => client.messages.at(-1)).toEqual(popularity)
  await send('PUT', '/api/v1/admin/config/job_purge_enabled', { value: 'true' })
  await expect.poll(() => client.messages.at(-1)).toEqual({ type: 'job.changed', name: 'purge' })
})

test('announces alerts that begin and end, to administrators', async () => {
  const { deps } = shop
  const client = await listen(['alerts'], admin)
  const refused = await listen([])
  refused.socket.send(JSON.stringify({ type: 'authenticate', token: await loginAs(shop, 'MANAGER') }))
  refused.socket.send(JSON.stringify({ type: 'subscribe', topics: ['alerts'] }))
  expect(await refused.next('error')).toMatchObject({ code: 'FORBIDDEN' })
  await recordCheck(deps.db, 'feed', 'too few offers', new Date())
  await checkAlerts(deps)
  const began = { type: 'alert.changed', name: 'FeedRefused', open: true }
  await expect.poll(() => client.messages).toContainEqual(began)
  await recordCheck(deps.db, 'feed', null, new Date())
  const start = Date.now()
  for (const minutes of [0, 6]) {
    deps.now = () => new Date(start + minutes * 60_000)
    await checkAlerts(deps)
  }
  deps.now = () => new Date()
  await expect.poll(() => client.messages).toContainEqual({ ...began, open: false })
})
