import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { FlatCase } from './limit-server.ts'

const PAGE = 100

type Listed = { id: number }
type ListedProduct = Listed & { finalPrice: number | null; category: { id: number } | null }

/** Fills a flat table with one row of ready JSON per record, and an index per query, from the shop's own lists. */
export async function fillFlatTables(db: Db, shopUrl: string, token: string): Promise<void> {
  await sql`create table flat_products (id int primary key, category_id int, price numeric, json text)`.execute(db)
  await eachPage<ListedProduct>(`${shopUrl}/api/v1/products?`, '', async (products) => {
    await sql`
      insert into flat_products
      select * from unnest(${products.map(({ id }) => id)}::int[],
        ${products.map(({ category }) => category?.id ?? null)}::int[],
        ${products.map(({ finalPrice }) => finalPrice)}::numeric[],
        ${products.map((product) => JSON.stringify(product))}::text[])`.execute(db)
  })
  await sql`create index on flat_products (price)`.execute(db)
  await sql`create index on flat_products (category_id, price, id)`.execute(db)

  await sql`create table flat_orders (id int primary key, json text)`.execute(db)
  await eachPage<Listed>(`${shopUrl}/api/v1/admin/orders?`, token, async (orders) => {
    await sql`
      insert into flat_orders
      select * from unnest(${orders.map(({ id }) => id)}::int[],
        ${orders.map((order) => JSON.stringify(order))}::text[])`.execute(db)
  })
  await sql`vacuum analyze flat_products, flat_orders`.execute(db)
}

/** Twenty products above a price. */
export function flatList(prices: number[]): FlatCase {
  const text = 'select json from flat_products where price >= $1 order by id limit 20'
  return { text, requests: prices.map((price) => [price]) }
}

/** Twenty products of a category above a price, cheapest first. */
export function flatListByPrice(wanted: { categoryId: number; price: number }[]): FlatCase {
  const text = 'select json from flat_products where category_id = $1 and price >= $2 order by price, id limit 20'
  return { text, requests: wanted.map(({ categoryId, price }) => [categoryId, price]) }
}

/** The products of a card or a cart. */
export function flatProducts(ids: number[][]): FlatCase {
  const text = 'select json from flat_products where id = any($1::int[])'
  return { text, requests: ids.map((some) => [some]) }
}

/** Twenty orders, newest first. */
export function flatOrders(firsts: number[]): FlatCase {
  const text = 'select json from flat_orders where id <= $1 order by id desc limit 20'
  return { text, requests: firsts.map((first) => [first]) }
}

async function eachPage<T extends Listed>(
  list: string,
  token: string,
  use: (records: T[]) => Promise<void>,
): Promise<void> {
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` }
  for (let page = 0, last = false; !last; page++) {
    const response = await fetch(`${list}size=${PAGE}&page=${page}`, { headers })
    const answer: { content: T[]; last: boolean } = JSON.parse(await response.text())
    if (answer.content.length > 0) await use(answer.content)
    last = answer.last
  }
}
