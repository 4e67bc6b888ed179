import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../db/database.ts'
import { storeImage } from '../../src/services/media/store.ts'
import { createUser, loginAs } from '../support/accounts.ts'
import { isObject, type Operation } from '../support/api-description.ts'
import { createBrand, createCategory, createProduct, markSynchronised } from '../support/factories.ts'
import { type FeedServer, feedXml, startFeedServer } from '../support/feed-server.ts'
import { type GeneratedRequest, requestGenerator, seeded } from '../support/generated-requests.ts'
import { newImage } from '../support/images.ts'
import { sendOrder } from '../support/orders.ts'
import { descriptionOf, type TestShop } from '../support/shop.ts'
import { type SupplierShop, startSupplierShop } from '../support/supplier-shop.ts'

/** Requests per operation; REQUEST_ROUNDS=100 for a long search. */
const ROUNDS = Number(process.env.REQUEST_ROUNDS ?? 4)
const AT_A_TIME = 12
const RECORDS = 12
/** Operations that hash a password, start a run or send mail get a quarter of the usual requests. */
const COSTLY =
  /^(register|login|changePassword|resetPassword|createUser|updateUser|runSync.*|syncXmlFeed|sendTestMail)$/
const SEED = 20_261_121

let shop: SupplierShop
let feed: FeedServer

beforeAll(async () => {
  feed = await startFeedServer()
  shop = await startSupplierShop({ RATE_LIMIT_ORDERS: '0', XML_FEED_URL: feed.url }, undefined, {
    publishes: true,
  })
  const { db } = shop.shop.deps
  for (let count = 0; count < RECORDS; count += 1) {
    const categoryId = await createCategory(db)
    const brandId = await createBrand(db)
    await createProduct(db, {
      categoryId,
      brandId,
      stock: 1_000_000,
      attributes: [{ name: 'Цвет', value: 'синий' }],
    })
    const { id } = await storeImage(shop.shop.deps, { bytes: await newImage(), fileName: 'a.png' })
    const link = { product_id: count + 1, image_id: id, display_order: 0 }
    await db.insertInto('product_images').values(link).execute()
    const download = {
      product_id: count + 1,
      image_url: 'http://127.0.0.1:9/a.png',
      status: 'FAILED' as const,
    }
    await db.insertInto('gbstore_image_download_log').values(download).execute()
    const slug = `tag-${count}`
    const tag = await db.insertInto('tags').values({ name: slug, slug }).returning('id').executeTakeFirst()
    const named = { kind: 'tag' as const, slug, entity_id: tag?.id ?? 0, base: slug, suffix: 1 }
    await db.insertInto('slug_history').values(named).execute()
    // The requests delete these, not the callers created below.
    await createUser(shop.shop, 'USER')
    await sendOrder(shop.shop, [
      { productId: count + 1, quantity: 2 },
      { productId: 1, quantity: 1 },
    ])
  }
  await markSynchronised(db)
  const contact = { name: 'Анна', phone: '+7 900 123-45-67', message: 'Когда?' }
  await db.insertInto('contact_requests').values(Array(RECORDS).fill(contact)).execute()
  const topups = Array(RECORDS).fill({ date: '2026-11-01', amount: '100.00', comment: null })
  await db.insertInto('license_topups').values(topups).execute()
  const rule = { pattern: 'архив', target: 'name' as const }
  await db.insertInto('category_regex_filters').values(Array(RECORDS).fill(rule)).execute()
  const mail = { recipient: 'boss@example.test', subject: 'Hello', body: 'There', status: 'FAILED' as const }
  await db.insertInto('mails').values(Array(RECORDS).fill(mail)).execute()
  const key = { role: 'EDITOR' as const, created_by: 'admin@shop.local', created_by_id: null }
  const keys = Array.from({ length: RECORDS }, (_, index) => ({
    ...key,
    name: `Export ${index}`,
    key_hash: Buffer.from([index]),
  }))
  await db.insertInto('api_keys').values(keys).execute()
  const receiver = { url: 'http://127.0.0.1:9/', events: ['contact.created' as const], active: false }
  const webhook = { ...receiver, description: '', secret: 'whsec_c2VjcmV0' }
  const webhooks = await db
    .insertInto('webhooks')
    .values(Array(RECORDS).fill(webhook))
    .returning('id as webhook_id')
    .execute()
  const delivery = { event: 'contact.created' as const, body: '{}' }
  await db
    .insertInto('webhook_deliveries')
    .values(webhooks.map((of) => ({ ...of, ...delivery })))
    .execute()
  const deleted = DELETED_PRODUCTS.map((external_id) => ({ external_id, name: null }))
  await db.insertInto('deleted_products').values(deleted).execute()
  await fillPipeline(db)
})
afterAll(async () => {
  await shop.close()
  await feed.close()
})

/** Inserts results of the XML pipeline and staff's decisions about the feed. */
async function fillPipeline(db: Db): Promise<void> {
  const numbers = Array.from({ length: RECORDS }, (_, index) => index + 1)
  feed.serve(feedXml({ categories: FEED_CATEGORIES.map((id) => ({ id, name: `Раздел ${id}` })) }))
  await db
    .insertInto('xml_feed_categories')
    .values(FEED_CATEGORIES.map((id, position) => ({ ...FEED_CATEGORY, feed_category_id: id, position })))
    .execute()
  const run = { status: 'SUCCEEDED' as const, dry_run: false, started_at: new Date() }
  await db
    .insertInto('xml_pipeline_runs')
    .values(numbers.map(() => run))
    .execute()
  const snapshot = { storage_key: 'xml-feed/x', sha256: 'ab', size: 1, offers: 0, categories: 0 }
  await db
    .insertInto('xml_snapshots')
    .values(numbers.map((run_id) => ({ ...snapshot, run_id })))
    .execute()
  const rules = numbers.map((number) => ({ alias: `Свойство ${number}`, name: 'Цвет' }))
  await db.insertInto('attribute_rules').values(rules).execute()
  const overrides = numbers
    .slice(RECORDS / 2)
    .map((product_id) => ({ product_id, mode: 'APPEND' as const, urls: ['https://a.example/1.jpg'] }))
  await db.insertInto('product_image_overrides').values(overrides).execute()
}

const DELETED_PRODUCTS = ['d1', 'd2', 'd3', 'd4', 'd5']
const FEED_CATEGORIES = ['f1', 'f2', 'f3']
const FEED_CATEGORY = { name: 'Раздел', parent_id: null, offers: 0, in_feed: true }

type Asked = { method: string; operation: Operation; request: GeneratedRequest; token: string | undefined }

/** The names of all columns, and of the members that would set them. */
async function listColumns(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct column_name as name from information_schema.columns where table_schema = 'public'
    order by name`.execute(db)
  return rows.flatMap(({ name }) => [name, name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())])
}

async function listTablesWith(db: Db, text: string): Promise<string[]> {
  const tables = await db.introspection.getTables()
  const found = tables.map(async ({ name }) => {
    const { rows } = await sql`
      select from ${sql.table(name)} as "row" where "row"::text like ${`%${text}%`} limit 1`.execute(db)
    return rows.length > 0 ? [name] : []
  })
  return (await Promise.all(found)).flat()
}

function parseObject(text = ''): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** Generates all requests up front, so that they depend on the seed only. */
async function prepareRequests({ app, deps, ...server }: TestShop): Promise<Asked[]> {
  const { document, operations } = await descriptionOf(app)
  const tokens = [undefined, 'forged.token.here']
  for (const role of ['USER', 'MANAGER', 'ADMIN', 'SUPER_ADMIN'] as const) {
    tokens.push(await loginAs({ app, deps, ...server }, role))
  }
  // Most requests may do what they ask for.
  tokens.push(...Array(6).fill(tokens.at(-1)))
  const slugs = await deps.db.selectFrom('slug_history').select('slug').orderBy('slug').execute()
  const ids = Array.from({ length: RECORDS }, (_, index) => String(index + 1))
  const known = {
    id: ids,
    itemId: ids,
    productId: ids,
    feedCategoryId: FEED_CATEGORIES,
    externalId: DELETED_PRODUCTS,
    imageId: ids,
    slug: slugs.map(({ slug }) => slug),
    key: ['site_name', 'shop_currency'],
    // Of an attribute, or of a job.
    name: ['Цвет', 'purge'],
  }
  const random = seeded(SEED)
  const generate = requestGenerator(document.components.schemas, known, random)
  const cheap = operations.filter(({ operation }) => !COSTLY.test(operation.operationId))
  const rounds = Array.from({ length: ROUNDS }, (_, round) => (round % 4 === 0 ? operations : cheap))
  // It ends the sessions of its caller.
  const leaving = await loginAs({ app, deps, ...server }, 'USER')
  return rounds.flat().map(({ method, path, operation }) => {
    const one = tokens[Math.floor(random() * tokens.length)]
    const token = operation.operationId === 'logOutEverywhere' ? leaving : one
    return { method, operation, request: generate(method, path, operation), token }
  })
}

const SMUGGLED = 'smuggled'
const ODD_VALUES = [SMUGGLED, SMUGGLED, 5, true, [1], [SMUGGLED], {}]

test('undocumented members of a body are neither stored nor refused', async () => {
  const { shop: server } = shop
  const { schemas } = (await descriptionOf(server.app)).document.components
  const membersOf = (schema: unknown) => Object.keys(Object(Object(schema).properties))
  const names = [...(await listColumns(server.deps.db)), ...Object.values(schemas).flatMap(membersOf)]
  const random = seeded(SEED)
  const oddValue = () => ODD_VALUES[Math.floor(random() * ODD_VALUES.length)]
  const token = await loginAs(server, 'SUPER_ADMIN')
  const wrong: string[] = []
  for (const { method, operation, request } of await prepareRequests(server)) {
    const reference = String(operation.requestBody?.content['application/json']?.schema.$ref)
    const schema = schemas[reference.replace('#/components/schemas/', '')]
    const body = parseObject(request.text)
    // All members of a record are data.
    if (schema?.type !== 'object' || schema.additionalProperties || body === null) continue
    const extra = new Set(names).difference(new Set(membersOf(schema)))
    const added = Object.fromEntries([...extra].map((name) => [name, oddValue()]))
    const text = JSON.stringify({ ...body, ...added })
    const answer = await server.call(method, request.path, { ...request, text, token })
    const details: { path: string }[] = Object(answer.body).details ?? []
    const isRefused = details.some(
      ({ path = '' }) => !/^(body|params|path)\b/.test(path) && extra.has(path.split('.')[0] ?? ''),
    )
    if (answer.status >= 500 || isRefused) wrong.push(`${method} ${request.path} → ${answer.status} ${answer.text}`)
  }
  expect(wrong).toEqual([])
  expect(await listTablesWith(server.deps.db, SMUGGLED)).toEqual([])
})

test('generated requests are answered as described', async () => {
  const { shop: server } = shop
  const asked = await prepareRequests(server)
  const wrong: string[] = []
  const unavailable: string[] = []
  const answered = new Map<string, Set<number>>()
  const open = asked.values()
  async function sendOneByOne(): Promise<void> {
    for (const { method, operation, request, token } of open) {
      const label = `${method} ${request.path} ${request.text ?? ''}`.slice(0, 600)
      try {
        const call = { ...request, ...(token && { token }) }
        const { status, text } = await server.call(method, request.path, call)
        const { operationId } = operation
        answered.set(operationId, (answered.get(operationId) ?? new Set()).add(status))
        const outcome = `${label} → ${status} ${text}`
        if (status === 503) unavailable.push(outcome)
        else if (status >= 500) wrong.push(outcome)
      } catch (error) {
        wrong.push(`${label} → ${error}`)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, sendOneByOne))

  expect(wrong).toEqual([])
  // On a busy machine a few requests, such as the readiness check, give up waiting.
  expect(unavailable.length, unavailable.join('\n')).toBeLessThan(asked.length / 50)
  // Every operation was called, and most succeeded at least once.
  const { operations } = await descriptionOf(server.app)
  expect(answered.size).toBe(operations.length)
  const refused = [...answered].filter(([, statuses]) => ![...statuses].some((status) => status < 300))
  expect(refused.length, refused.map(([name]) => name).join()).toBeLessThan(operations.length / 4)
})
