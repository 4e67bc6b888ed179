import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser, loginAs } from '../support/accounts.ts'
import { createBrand, createImage, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

// Versions of the records of staff that have a page of their own nowhere else.
let shop: TestShop
let token: string

beforeAll(async () => {
  shop = await startTestShop()
  token = await loginAs(shop, 'SUPER_ADMIN')
})
afterAll(() => shop.close())

const ADMIN = '/api/v1/admin'
const send = (method: string, path: string, body?: object, ifMatch?: string) =>
  shop.call(method, `${ADMIN}${path}`, {
    token,
    ...(body && { body }),
    ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }),
  })
async function create(path: string, body: object): Promise<number> {
  return ((await send('POST', path, body)).body as { id: number }).id
}
async function insertContact(): Promise<number> {
  const values = { name: 'Анна', phone: '12345', message: 'Когда?' }
  return (await shop.deps.db.insertInto('contact_requests').values(values).returning('id').executeTakeFirstOrThrow()).id
}
const user = { name: 'Пётр', email: 'petr@example.com', role: 'MANAGER' }
const webhook = { url: 'https://crm.example.com/hook', events: ['order.created'] }
const price = { startDate: '2026-01-01', endDate: '2026-01-31', serverCost: 10, supportCost: 20 }
const topup = { date: '2026-01-01', amount: 10 }

type Noun = {
  name: string
  /** @returns the path of the record */
  prepare: () => Promise<string>
  /** Of the first version of the record. */
  version?: number
  /** Below the record's path. */
  rest?: string
  edits: [object, object]
  isDeletable?: boolean
}
const nouns: Noun[] = [
  {
    name: 'brand',
    prepare: async () => `/brands/${await createBrand(shop.deps.db)}`,
    edits: [{ name: 'Бош' }, { name: 'Макита' }],
  },
  {
    name: 'notes of a contact request',
    prepare: async () => `/contacts/${await insertContact()}`,
    rest: '/notes',
    edits: [{ notes: 'Перезвонить' }, { notes: 'Не звонить' }],
    isDeletable: true,
  },
  {
    name: 'status of a contact request',
    prepare: async () => `/contacts/${await insertContact()}`,
    rest: '/status',
    edits: [{ status: 'IN_PROGRESS' }, { status: 'NEW' }],
    isDeletable: true,
  },
  {
    name: 'user',
    prepare: async () => `/users/${(await createUser(shop, 'MANAGER')).id}`,
    edits: [user, { ...user, name: 'Павел' }],
    isDeletable: true,
  },
  {
    name: 'webhook',
    prepare: async () => `/webhooks/${await create('/webhooks', webhook)}`,
    edits: [
      { ...webhook, active: false },
      { ...webhook, description: 'CRM' },
    ],
    isDeletable: true,
  },
  {
    name: 'licence price',
    prepare: async () => `/license/prices/${await create('/license/prices', price)}`,
    edits: [
      { ...price, serverCost: 11 },
      { ...price, serverCost: 12 },
    ],
    isDeletable: true,
  },
  {
    name: 'licence top-up',
    prepare: async () => `/license/topups/${await create('/license/topups', topup)}`,
    edits: [
      { ...topup, comment: 'Счёт 1' },
      { ...topup, comment: 'Счёт 2' },
    ],
    isDeletable: true,
  },
  {
    name: 'attribute',
    version: 0,
    async prepare() {
      await createProduct(shop.deps.db, { attributes: [{ name: 'Цвет', value: 'синий' }] })
      return `/attributes/${encodeURIComponent('Цвет')}`
    },
    edits: [
      { position: 1, filterable: true },
      { position: null, filterable: null },
    ],
  },
]

test.each(nouns)('$name: a write of an older version changes nothing', async (noun) => {
  const { prepare, version = 1, rest = '', edits, isDeletable = false } = noun
  const path = await prepare()
  const first = await send('PUT', path + rest, edits[0], `"${version}"`)
  expect(first).toMatchObject({ status: 200, body: { ...edits[0], version: version + 1 } })
  expect(await send('PUT', path + rest, edits[1], `"${version}"`)).toMatchObject({
    status: 412,
    body: { code: 'STALE', current: first.body },
  })
  // Saving the same again makes no other form stale.
  expect((await send('PUT', path + rest, edits[0], `"${version + 1}"`)).body).toEqual(first.body)
  expect(await send('PUT', path + rest, edits[1])).toMatchObject({ status: 200, body: { version: version + 2 } })
  expect(await send('PUT', path + rest, edits[0], `"${version + 1}"`)).toMatchObject({ status: 412 })
  if (!isDeletable) return
  expect(await send('DELETE', path, undefined, `"${version + 1}"`)).toMatchObject({ status: 412 })
  expect(await send('DELETE', path, undefined, `"${version + 2}"`)).toMatchObject({ status: 204 })
})

test('a replaced secret is a new version of the webhook', async () => {
  const path = `/webhooks/${await create('/webhooks', webhook)}`
  expect(await send('POST', `${path}/rotate-secret`, undefined, '"2"')).toMatchObject({ status: 412 })
  expect(await send('POST', `${path}/rotate-secret`, undefined, '"1"')).toMatchObject({ body: { version: 2 } })
})

test('a brand that loses its image gets a new version', async () => {
  const { db } = shop.deps
  const id = await createBrand(db)
  const imageId = await createImage(db)
  expect(await send('PUT', `/brands/${id}`, { name: 'Бош', imageId })).toMatchObject({ body: { version: 2 } })
  expect(await shop.call('DELETE', `/api/v1/images/${imageId}?force=true`, { token })).toMatchObject({ status: 204 })
  const stale = await send('PUT', `/brands/${id}`, { name: 'Бош' }, '"2"')
  expect(stale).toMatchObject({ status: 412, body: { current: { imageId: null, version: 3 } } })
})

test('a profile that its owner changes is a new version of the user', async () => {
  const owner = await createUser(shop, 'USER')
  const body = { name: 'Анна Петрова' }
  await shop.call('PUT', '/api/v1/auth/profile', { token: await shop.app.signToken(owner), body })
  expect(await send('DELETE', `/users/${owner.id}`, undefined, '"1"')).toMatchObject({
    status: 412,
    body: { current: { ...body, version: 2 } },
  })
})
