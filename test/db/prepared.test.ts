import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../db/database.ts'
import { type Params, prepare, prepared } from '../../db/prepared.ts'
import { findOffers } from '../../db/queries/stock/reservations.ts'
import { createTestDatabase } from '../support/database.ts'

let drop: () => Promise<void>
let database: Database

beforeAll(async () => {
  const created = await createTestDatabase()
  drop = created.drop
  // A single connection can be asked which statements it has prepared.
  database = openDatabase(created.url, () => {}, { max: 1 })
})
afterAll(async () => {
  await database.close()
  await drop()
})

const preparedStatements = async () =>
  (await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(database.db)).rows.filter(
    ({ statement }) => statement.includes('from "products" where "id" = any((select $1::int[])::int[])'),
  )

test('parses a prepared statement once per connection, whatever the parameters', async () => {
  for (const ids of [[1], [1, 2, 3], []]) await findOffers(database.db, ids)
  expect(await preparedStatements()).toHaveLength(1)
})

test('uses one generic plan, however few ids are given', async () => {
  for (const ids of [[1], [2], [3, 4]]) for (let times = 0; times < 5; times++) await findOffers(database.db, ids)
  const { rows } = await sql<{ generic: number; custom: number }>`
    select generic_plans as generic, custom_plans as custom from pg_prepared_statements
    where statement like '%from "products" where "id" = any((select%'`.execute(database.db)
  // PostgreSQL makes five custom plans before it compares them with a generic one.
  expect(rows).toEqual([{ generic: expect.any(Number), custom: 5 }])
})

test('survives a migration of its table, also inside a transaction', async () => {
  await sql`alter table products add column added int`.execute(database.db)
  expect(await findOffers(database.db, [1])).toEqual(new Map())
  await database.db.transaction().execute(async (trx) => {
    await sql`alter table products drop column added`.execute(trx)
    expect(await findOffers(trx, [1])).toEqual(new Map())
  })
})

test('leaves other statements unprepared', async () => {
  await sql`select ${1}::int as "not marked"`.execute(database.db)
  const { rows } = await sql<{
    statement: string
  }>`select statement from pg_prepared_statements`.execute(database.db)
  expect(rows.filter(({ statement }) => statement.includes('not marked'))).toEqual([])
})

test('rejects a statement that does not name its columns', async () => {
  for (const text of ['select * from users', 'insert into users (name) values (1) returning *'])
    await expect(prepared(database.db, sql.raw(text))).rejects.toThrow('has to name its columns')
})

test('builds a statement once, and runs it with the values of each call', async () => {
  let built = 0
  const repeat = prepare((db, { text, times }: Params<{ text: string; times?: number | null | undefined }>) => {
    built += 1
    return db.selectNoFrom([
      sql<string>`repeat(${text}, ${times}::int)`.as('repeated'),
      sql<number>`coalesce(${times}::int, ${7}::int)`.as('times'),
    ])
  })
  const both = [repeat(database.db, { text: 'ab', times: 2 }), repeat(database.db, { text: 'c', times: 3 })]
  expect(await Promise.all(both)).toEqual([[{ repeated: 'abab', times: 2 }], [{ repeated: 'ccc', times: 3 }]])
  expect(await repeat(database.db, { text: 'c' })).toEqual([{ repeated: null, times: 7 }])
  expect(built).toBe(1)
})
