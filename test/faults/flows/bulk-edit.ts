import { accepted } from '../client.ts'
import type { Finding } from '../patience.ts'
import type { World } from '../world.ts'
import type { Flow } from './index.ts'

let price = 1000

/** Products of one category per edit: all of them change, or none. */
export const bulkEdit: Flow = {
  name: 'bulk edit',
  world: {},
  async prepare(world) {
    const { category_id: categoryId } = await world.db
      .selectFrom('products')
      .select('category_id')
      .where('category_id', 'is not', null)
      .where('price', '>', '0')
      .groupBy('category_id')
      .orderBy((eb) => eb.fn.countAll(), 'desc')
      .executeTakeFirstOrThrow()
    price += 1
    const sitePrice = price
    const partial: Finding[] = []
    return {
      async act() {
        const edited = await countEdited(world, Number(categoryId), sitePrice)
        if (edited.changed > 0 && edited.changed < edited.all)
          partial.push({ kind: 'wrong', what: `${edited.changed} of ${edited.all} products edited` })
        const body = { filter: { categoryId }, set: { sitePrice } }
        accepted(await world.call('PATCH', '/api/v1/products', { body }), 200)
      },
      async check() {
        const { all, changed } = await countEdited(world, Number(categoryId), sitePrice)
        return changed === all ? partial : [{ kind: 'lost', what: `${all - changed} of ${all} edits` }]
      },
    }
  },
}

async function countEdited({ db }: World, categoryId: number, sitePrice: number) {
  const rows = await db.selectFrom('products').select('site_price').where('category_id', '=', categoryId).execute()
  return {
    all: rows.length,
    changed: rows.filter(({ site_price }) => Number(site_price) === sitePrice).length,
  }
}
