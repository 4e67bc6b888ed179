import { expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { feedXml } from '../../support/feed-server.ts'
import type { World } from './console.test.ts'
import { openPage } from './session-page.ts'

/** The supplier's feed, and where pictures come from. */
export function testFeed(get: () => World): void {
  test('two reads of the feed show what has changed between them', async () => {
    const { browser, shop, feed } = get()
    const { page } = await openPage(browser, shop, await loginAs(shop, 'ADMIN'))
    await page.goto('/console/pipeline')
    for (const offers of [[{ id: 'F1', name: 'Drill', price: '100' }], [{ id: 'F1', name: 'Drill', price: '120' }]]) {
      feed.serve(feedXml({ offers }))
      await page.getByRole('button', { name: 'Read the feed now' }).click()
      await page
        .getByRole('heading', { name: /Succeeded$/ })
        .first()
        .waitFor()
    }
    const snapshots = page.getByRole('table', { name: 'Snapshots of the feed' })
    await expect.poll(() => snapshots.getByRole('row').count()).toBe(3)
    await snapshots.getByRole('button', { name: 'Differences' }).first().click()
    await page.getByRole('dialog').getByRole('row', { name: 'Drill F1 100 120' }).waitFor()
    await page.context().close()
  })

  test('pictures of a product come from addresses that staff set', async () => {
    const { browser, shop } = get()
    const { page } = await openPage(browser, shop, await loginAs(shop, 'ADMIN'))
    await page.goto('/console/products/2')
    const addresses = page.getByLabel('Own addresses of pictures')
    const form = page.locator('form', { has: addresses })
    await addresses.fill('https://cdn.example.com/1.jpg nothing')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Enter an http(s) address', { exact: true }).waitFor()
    await addresses.fill('https://cdn.example.com/1.jpg\nhttps://cdn.example.com/2.jpg')
    await page.getByLabel('How they are used').selectOption('APPEND')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByRole('button', { name: 'Delete' }).waitFor()
    const overrides = shop.deps.db.selectFrom('product_image_overrides').select(['mode', 'urls'])
    const urls = ['https://cdn.example.com/1.jpg', 'https://cdn.example.com/2.jpg']
    expect(await overrides.where('product_id', '=', 2).execute()).toEqual([{ mode: 'APPEND', urls }])
    await form.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await expect.poll(() => overrides.where('product_id', '=', 2).execute()).toEqual([])
    await page.context().close()
  })
}
