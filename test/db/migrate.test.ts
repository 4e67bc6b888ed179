import { readdir } from 'node:fs/promises'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { migrate } from '../../db/migrate.ts'
import { createTestDatabase } from '../support/database.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let client: pg.Client

async function open(migrated: boolean): Promise<void> {
  database = await createTestDatabase({ migrated })
  client = new pg.Client(database.url)
  await client.connect()
}
const recordMigration = (name: string) =>
  client.query(`insert into kysely_migration values ($1, '2099-01-01T00:00:00.000Z')`, [name])

afterEach(async () => {
  await client.end()
  await database.drop()
})

test('gives way to whoever holds a lock, and migrates when it is released', async () => {
  await open(false)
  await client.query('create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)')
  await client.query('begin; lock table kysely_migration in share mode')
  const left: unknown[] = []
  const applied = await migrate(database.url, () => {
    left.push(client.query(`select to_regclass('users') as users; commit`))
  })
  const [[{ rows }]] = (await Promise.all(left)) as [[pg.QueryResult]]
  expect(rows).toEqual([{ users: null }])
  const files = await readdir(new URL('../../db/migrations/', import.meta.url))
  expect(applied).toEqual(files.map((file) => file.replace('.ts', '')).toSorted())
})

test('accepts a schema that a newer version has migrated', async () => {
  await open(true)
  await recordMigration('2099-01-01T0000-of-a-newer-version')
  expect(await migrate(database.url)).toEqual([])
})

test('refuses a schema with a migration in between that this version does not know', async () => {
  await open(true)
  await recordMigration('2026-11-28T0602-unknown')
  await expect(migrate(database.url)).rejects.toThrow('2026-11-28T0602-unknown is missing')
})
