import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser, loginAs } from '../../support/accounts.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop()
  admin = await loginAs(shop, 'ADMIN')
  await createUser(shop, 'EDITOR', { name: 'Жанна Берёзкина 100%', email: 'zh@list.test', phone: '+7 (999) 123-45-67' })
  await createUser(shop, 'EDITOR', { name: 'Bob_Builder', email: 'bob@list.test' })
  await createUser(shop, 'MANAGER', { name: 'Bobby', email: 'bobby@list.test' })
})
afterAll(() => shop.close())

const list = (query: string) => shop.call('GET', `/api/v1/admin/users?${query}`, { token: admin })

function emails({ body }: { body: unknown }): string[] {
  const { content } = Object(body)
  return content.map(({ email }: { email: string }) => email)
}

test('lists users in pages without hashes', async () => {
  const { body, text } = await list('search=zh@list.test')
  expect(body).toEqual({
    content: [
      {
        id: expect.any(Number),
        name: 'Жанна Берёзкина 100%',
        email: 'zh@list.test',
        phone: '+7 (999) 123-45-67',
        role: 'EDITOR',
        totp: false,
        version: 1,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        updatedAt: expect.stringMatching(/Z$/),
      },
    ],
    totalElements: 1,
    totalPages: 1,
    number: 0,
    size: 20,
    first: true,
    last: true,
  })
  expect(text).not.toMatch(/\$2b|hash/)
})

test('searches name, email and phone, in any case, with % and _ as ordinary characters', async () => {
  for (const [search, found] of [
    ['жАННА', ['zh@list.test']],
    ['100%', ['zh@list.test']],
    ['берёзкина', ['zh@list.test']],
    ['БЕРЕЗКИНА', ['zh@list.test']],
    ['8 999 123 45 67', ['zh@list.test']],
    ['b_b', ['bob@list.test']],
    ['BOB', ['bob@list.test', 'bobby@list.test']],
    [' (999) ', ['zh@list.test']],
    ['\\', []],
    ["'--", []],
  ] as const) {
    const answer = await list(`size=100&sort=email&search=${encodeURIComponent(search)}`)
    expect([search, ...emails(answer).filter((email) => email.endsWith('@list.test'))]).toEqual([search, ...found])
  }
  expect(emails(await list('search=b_b'))).toEqual(['bob@list.test'])
  expect(emails(await list('search=@list&role=EDITOR&sort=name,desc'))).toEqual(['bob@list.test', 'zh@list.test'])
})

test('sorts and pages without repeats', async () => {
  const pages = await Promise.all([0, 1, 2, 3].map((page) => list(`search=@list&sort=role,desc&size=1&page=${page}`)))
  expect(pages.flatMap(emails)).toEqual(['bobby@list.test', 'bob@list.test', 'zh@list.test'])
  expect(pages[1]?.body).toMatchObject({ totalElements: 3, totalPages: 3, first: false, last: false })
  expect(pages[3]?.body).toMatchObject({ content: [], totalElements: 3, last: true })
})

test('refuses unknown parameters', async () => {
  const answer = await list('sort=password_hash')
  expect(answer.status).toBe(400)
  expect(answer.text).toContain('id, name, email, role, createdAt')
  for (const query of ['role=KING', 'size=101', 'size=0', 'page=-1', 'sort=id,up', `search=${'x'.repeat(201)}`]) {
    expect((await list(query)).status).toBe(400)
  }
  expect((await list('search=%00')).status).toBe(400)
})
