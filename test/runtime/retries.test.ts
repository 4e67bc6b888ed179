import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../db/database.ts'
import { retryOnConflict } from '../../src/runtime/retries.ts'
import { createTestDatabase } from '../support/database.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let opened: Database

beforeAll(async () => {
  database = await createTestDatabase()
  opened = openDatabase(database.url, () => {})
})
afterAll(async () => {
  await opened.close()
  await database.drop()
})

/** Fails with the code as often as told, then succeeds; counts the attempts. */
async function attemptsAt(code: string, failures: number) {
  let attempts = 0
  const raise = sql.raw(`do $$ begin raise exception 'conflict' using errcode = '${code}'; end $$`)
  const work = retryOnConflict(async () => {
    attempts += 1
    if (attempts <= failures) await raise.execute(opened.db)
  })
  const isDone = await work.then(
    () => true,
    () => false,
  )
  return [isDone, attempts]
}

test.each([
  ['a deadlock', '40P01'],
  ['a slug that was taken', '23505'],
  ['a record that was deleted', '23503'],
])('repeats a transaction after %s, three times in all', async (_, code) => {
  expect(await attemptsAt(code, 2)).toEqual([true, 3])
  expect(await attemptsAt(code, 3)).toEqual([false, 3])
})

test('does not repeat a transaction that would fail again', async () => {
  expect(await attemptsAt('22003', 1)).toEqual([false, 1])
})
