import type { DemoProduct } from '../../../demo/catalogue.ts'
import { accepted } from '../client.ts'
import type { Finding } from '../patience.ts'
import { checkFeed } from '../published.ts'
import type { World } from '../world.ts'
import type { Flow } from './index.ts'

const CHANGES = 30
/** Seven pages, which a full load writes in two transactions. */
const PRODUCTS = 650

/** Runs a sync to its success; another client's run may be in the way. */
export async function runSync({ call }: World, query = ''): Promise<void> {
  const answer = await call('POST', `/admin/sync/run?wait=true${query}`)
  const { status, error } = accepted<{ status: string; error: string }>(answer, 200)
  if (status !== 'SUCCEEDED') throw new Error(`The run ${status}: ${error}`)
}

/** Compares our products with the supplier's. */
export async function checkCatalogue({ db, supplier }: World): Promise<Finding[]> {
  const ours = await db
    .selectFrom('products')
    .select(['external_id', 'name', 'price', 'stock', 'supplier_active'])
    .where('external_id', 'is not', null)
    .execute()
  const shown = new Map(ours.map((row) => [row.external_id, JSON.stringify(row)]))
  const wrong = [...supplier.catalogue.products].flatMap((product) => {
    const expected = JSON.stringify(expectedRow(product))
    const found = shown.get(product.id)
    return found === expected ? [] : [`${found ?? 'nothing'} instead of ${expected}`]
  })
  return wrong.slice(0, 3).map((what) => ({ kind: 'wrong', what }))
}

const expectedRow = ({ id, name, price, stock, active }: DemoProduct) => ({
  external_id: id,
  name: name.normalize('NFC').trim().replace(/\s+/g, ' '),
  // Half up in decimal, unlike toFixed.
  price: price === null ? null : (Math.round(Number(`${price}e2`)) / 100).toFixed(2),
  stock: Math.max(0, Math.trunc(stock ?? 0)),
  supplier_active: active,
})

const syncFlow = (name: string, query: string): Flow => ({
  name,
  world: { products: PRODUCTS },
  async prepare(world) {
    world.supplier.catalogue.changeSome(CHANGES)
    return {
      act: () => runSync(world, query),
      check: async () => [...(await checkCatalogue(world)), ...(await checkFeed(world))],
    }
  },
})

export const fullSync = syncFlow('full sync', '&full=true')
export const incrementalSync = syncFlow('incremental sync', '')
