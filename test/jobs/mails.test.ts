import { afterAll, beforeAll, expect, test } from 'vitest'
import { enqueueMail } from '../../db/queries/mail/outbox.ts'
import { mailPurgeJob } from '../../jobs/mail-purge.ts'
import { mailsJob } from '../../jobs/mails.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

test('the jobs deliver what is due and forget what is old', async () => {
  const { db } = shop.deps
  const statuses = async () =>
    (await db.selectFrom('mails').select('status').execute()).map(({ status }) => status)
  await db
    .transaction()
    .execute((trx) => enqueueMail(trx, { recipient: 'boss@example.test', subject: 'Hello', body: 'There' }))
  const delivery = mailsJob(shop.deps)
  expect(await delivery.enabled()).toBe(true)
  await delivery.run()
  expect(await statuses()).toEqual(['SENT'])
  await db
    .updateTable('mails')
    .set({ created_at: new Date('2020-01-01') })
    .execute()
  const purge = mailPurgeJob(shop.deps)
  expect(await purge.enabled()).toBe(true)
  await purge.run()
  expect(await statuses()).toEqual([])
})
