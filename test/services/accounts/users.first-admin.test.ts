import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureFirstAdmin } from '../../../src/services/accounts/users.ts'
import { createUser } from '../../support/accounts.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

test('rejects the address of another user', async () => {
  const password = 'first password'
  await createUser(shop, 'USER', { email: 'taken@first.test' })
  await expect(ensureFirstAdmin(shop.deps, { email: 'taken@first.test', password })).rejects.toThrow('ADMIN_EMAIL')
})

test('creates the first administrator once, even from several instances', async () => {
  // One hash for all, so that they get to the database at the same moment.
  const hashed = shop.deps.passwords.hash('first password')
  const deps = { ...shop.deps, passwords: { ...shop.deps.passwords, hash: () => hashed } }
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, instance) =>
      ensureFirstAdmin(deps, { email: `root-${instance}@first.test`, password: 'first password' }),
    ),
  )
  expect(made.filter((created) => created)).toHaveLength(1)
  const tops = await shop.deps.db.selectFrom('users').selectAll().where('role', '=', 'SUPER_ADMIN').execute()
  expect(tops).toHaveLength(1)
  const body = { email: tops[0]?.email, password: 'first password' }
  expect((await shop.call('POST', '/api/v1/auth/login', { body })).body).toMatchObject({
    user: { role: 'SUPER_ADMIN' },
  })
  expect(await ensureFirstAdmin(shop.deps, { email: 'third@first.test', password: 'x'.repeat(8) })).toBe(false)
})
