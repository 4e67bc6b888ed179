import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../db/database.ts'
import { prepared } from '../../db/prepared.ts'
import { findCartProducts } from '../../db/queries/catalogue/products.ts'
import { createTestDatabase } from '../support/database.ts'

let drop: () => Promise<void>
let database: Database

beforeAll(async () => {
  const created = await createTestDatabase()
  drop = created.drop
  // One connection: what it has prepared can be asked for on it.
  database = openDatabase(created.url, () => {}, { max: 1 })
})
afterAll(async () => {
  await database.close()
  await drop()
})

const kept = async () =>
  (
    await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(database.db)
  ).rows.filter(({ statement }) =>
    statement.includes('from products where id = any((select $1::int[])::int[])'),
  )

test('a prepared statement is parsed once for a connection, whatever its parameters', async () => {
  for (const ids of [[1], [1, 2, 3], []]) await findCartProducts(database.db, ids)
  expect(await kept()).toHaveLength(1)
})

test('it is planned for all, however few it is asked for', async () => {
  for (const ids of [[1], [2], [3, 4]])
    for (let times = 0; times < 5; times++) await findCartProducts(database.db, ids)
  const { rows } = await sql<{ generic: number; custom: number }>`
    select generic_plans as generic, custom_plans as custom from pg_prepared_statements
    where statement like '%from products where id = any((select%'`.execute(database.db)
  // PostgreSQL tries five before it compares.
  expect(rows).toEqual([{ generic: expect.any(Number), custom: 5 }])
})

test('it goes on after a migration of its table, in a transaction too', async () => {
  await sql`alter table products add column added int`.execute(database.db)
  expect(await findCartProducts(database.db, [1])).toEqual([])
  await database.db.transaction().execute(async (trx) => {
    await sql`alter table products drop column added`.execute(trx)
    expect(await findCartProducts(trx, [1])).toEqual([])
  })
})

test('what is not marked so is planned for its parameters each time', async () => {
  await sql`select ${1}::int as "not marked"`.execute(database.db)
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(
    database.db,
  )
  expect(rows.filter(({ statement }) => statement.includes('not marked'))).toEqual([])
})

test('a statement that does not name its columns is refused', async () => {
  for (const text of ['select * from users', 'insert into users (name) values (1) returning *'])
    await expect(prepared(database.db, sql.raw(text))).rejects.toThrow('has to name its columns')
})
