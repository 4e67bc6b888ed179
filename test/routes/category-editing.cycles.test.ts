import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { createCategory } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let editor: string

beforeAll(async () => {
  shop = await startTestShop()
  editor = await loginAs(shop, 'EDITOR')
})
afterAll(() => shop.close())

test.each(['deleted', 'moved'])(
  'keeps the shown top of a cycle at the top when a member is %s',
  async (how) => {
    const { db } = shop.deps
    const first = await createCategory(db)
    const second = await createCategory(db, { parentId: first })
    const third = await createCategory(db, { parentId: second })
    await db.updateTable('categories').set({ parent_id: third }).where('id', '=', first).execute()
    shop.deps.caches.clear()
    const change =
      how === 'deleted'
        ? shop.call('DELETE', `/api/v1/categories/${second}`, { token: editor })
        : shop.call('POST', `/api/v1/categories/${second}/move`, {
            token: editor,
            body: { parentId: null, position: 0 },
          })
    expect((await change).status).toBeLessThan(300)
    const parents = await db
      .selectFrom('categories')
      .select(['id', 'parent_id'])
      .where('id', 'in', [first, second, third])
      .orderBy('id')
      .execute()
    const expected =
      how === 'deleted'
        ? [
            [first, null],
            [third, null],
          ]
        : [
            [first, null],
            [second, null],
            [third, second],
          ]
    expect(parents.map(({ id, parent_id }) => [id, parent_id])).toEqual(expected)
  },
)
