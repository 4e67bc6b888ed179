import { sql } from 'kysely'
import type { Finding } from './patience.ts'
import type { Instance, World } from './world.ts'

const PAGE = 100
const WORDS = ['дрель', 'лампа', 'кабель', 'чайник', 'шуруповерт', 'бумага', 'монитр', 'перфоратор 800']
const SORTS = ['id', 'id,desc', 'name', 'price', 'price,desc', 'stock,desc', 'createdAt']

/** Compares what each instance answers with SQL, and with what an instance answers that has just started. */
export async function compareInstances(world: World, instances: Instance[]): Promise<Finding[]> {
  const fresh = await world.addInstance()
  await fresh.start()
  const paths = await pathsToCompare(world)
  const found: Finding[] = []
  for (const path of paths) {
    const [expected = '', ...answers] = await Promise.all(
      [fresh, ...instances].map(async (instance) => (await world.call('GET', path, {}, instance)).text),
    )
    for (const [index, answer] of answers.entries()) {
      if (answer === expected) continue
      const at = [...answer].findIndex((character, place) => character !== expected[place])
      const parts = [answer, expected].map((text) => text.slice(Math.max(0, at - 60), at + 60))
      found.push({ kind: 'wrong', what: `${path} of instance ${index + 1}: ${parts.join(' instead of ')}` })
    }
  }
  found.push(...(await compareWithSql(world, fresh)))
  await fresh.kill()
  return found
}

async function pathsToCompare({ db }: World): Promise<string[]> {
  const products = await db.selectFrom('products').select(['id', 'slug']).orderBy('id').execute()
  const categories = await db.selectFrom('categories').select('id').orderBy('id').execute()
  const pages = Array.from({ length: Math.ceil(products.length / PAGE) }, (_, page) => page)
  const lists = SORTS.flatMap((sort) =>
    pages.map((page) => `products?size=${PAGE}&page=${page}&sort=${sort}&active=true`),
  )
  return [
    ...lists,
    ...products.map(({ id }) => `products/${id}`),
    ...WORDS.flatMap((word) => {
      const search = encodeURIComponent(word)
      return [`products?search=${search}`, `products/facets?search=${search}`, `products/suggest?q=${search}`]
    }),
    ...categories.flatMap(({ id }) => [`categories/${id}`, `products?categoryId=${id}&inStock=true`]),
    ...['categories', 'categories/tree', 'categories/homepage', 'brands', 'tags', 'products/facets'],
    ...['config/public', 'admin/config', 'yml-catalog.xml'],
  ].map((path) => `/api/v1/${path}`)
}

/** The list of an instance without caches, product by product, with SQL. */
async function compareWithSql({ db, call }: World, instance: Instance): Promise<Finding[]> {
  const { rows } = await sql<{ id: number; name: string; price: number | null; stock: number }>`
    select id, name, final_price::float8 as price, stock - coalesce(
      (select sum(quantity) from order_items where product_id = products.id and holding), 0)::int as stock
    from products where active order by id`.execute(db)
  const listed: string[] = []
  for (let page = 0; listed.length === page * PAGE; page++) {
    const path = `/api/v1/products?size=${PAGE}&page=${page}&sort=id`
    const { body } = await call('GET', path, { token: undefined }, instance)
    const { content } = body as {
      content: { id: number; name: string; finalPrice: number | null; available: boolean }[]
    }
    listed.push(...content.map(({ id, name, finalPrice, available }) => `${id} ${name} ${finalPrice} ${available}`))
    if (content.length === 0) break
  }
  const expected = rows.map(
    ({ id, name, price, stock }) => `${id} ${name} ${price} ${stock > 0 && price !== null && price > 0}`,
  )
  const wrong = expected.findIndex((line, index) => line !== listed[index])
  if (wrong < 0 && listed.length === expected.length) return []
  return [{ kind: 'wrong', what: `the list: ${listed[wrong]} instead of ${expected[wrong]}` }]
}
