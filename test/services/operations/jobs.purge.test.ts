import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { purge } from '../../../src/services/operations/jobs.ts'
import { startTestShop } from '../../support/shop.ts'

test('a deletion that fails stops none of the others, and fails the job', async () => {
  const shop = await startTestShop()
  onTestFinished(() => shop.close())
  const { db } = shop.deps
  const counter = { key: 'old', count: 1, resets_at: new Date(0) }
  await db.insertInto('rate_limits').values(counter).execute()
  await sql`alter table mails rename to unreadable`.execute(db)
  await expect(purge(shop.deps)).rejects.toThrow('mails')
  expect(await db.selectFrom('rate_limits').selectAll().where('key', '=', 'old').execute()).toEqual([])
})
