import { expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { axeFindings, follow, overflow } from '../../support/browser.ts'
import type { World } from './console.test.ts'
import { placeOrder } from './day-of-sales.ts'
import { type Look, openPage } from './session-page.ts'

const PAGES = [
  '/',
  ...['/orders', '/orders/new', '/contacts'],
  ...['/products', '/products/1', '/categories?category=1', '/brands', '/tags', '/attributes'],
  ...['/banners', '/features', '/reviews', '/images'],
  ...['/dashboard', '/sync', '/scraping', '/pipeline', '/jobs', '/alerts', '/mails', '/webhooks'],
  ...['/users', '/api-keys', '/settings', '/licence', '/audit', '/account', '/privacy'],
]

/** A busy machine takes four seconds a page. */
const PAGES_TIMEOUT_MS = 240_000

/** What holds for every page. */
export function testPages(get: () => World): void {
  const looks: (Look & { width: number; theme: 'light' | 'dark'; language: 'en' | 'ru' })[] = [
    { width: 1280, theme: 'light', language: 'en' },
    { width: 360, theme: 'dark', language: 'ru' },
  ]
  test.each(looks)(
    'every page is accessible and fits: $width, $theme, $language',
    { timeout: PAGES_TIMEOUT_MS },
    async (look) => {
      const { browser, shop } = get()
      const { page, faults } = await openPage(browser, shop, await loginAs(shop, 'SUPER_ADMIN'), look)
      const found: string[] = []
      await page.goto('/console/none')
      await page.getByRole('heading', { level: 1 }).waitFor()
      for (const path of [...PAGES, `/orders/${await placeOrder(get())}`]) {
        await follow(page, `/console${path}`)
        await expect.poll(() => page.getByText(/^(Loading|Загрузка)…$/).count(), { interval: 30 }).toBe(0)
        for (const finding of await axeFindings(page)) found.push(`${path} ${finding}`)
        const excess = await overflow(page)
        if (excess > 0) found.push(`${path} is ${excess} pixels too wide`)
      }
      expect(found).toEqual([])
      expect(faults).toEqual([])
      await page.context().close()
    },
  )

  test('the keyboard alone finds a page and closes what it opens', async () => {
    const { browser, shop } = get()
    const { page } = await openPage(browser, shop, await loginAs(shop, 'ADMIN'))
    await page.goto('/console/')
    await page.getByRole('navigation', { name: 'Menu' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('searchbox').waitFor()
    await page.keyboard.type('web')
    await page.getByRole('menuitem', { name: 'Webhooks' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('searchbox').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await page.context().close()
  })

  test('a sync shows its progress and its end without a reload', async () => {
    const world = get()
    const { page } = await openPage(world.browser, world.shop, await loginAs(world.shop, 'ADMIN'))
    await page.goto('/console/sync')
    await page.getByRole('table', { name: 'History' }).waitFor()
    const rows = page.getByRole('table', { name: 'History' }).getByRole('row')
    const before = await rows.count()
    await page.getByRole('button', { name: 'Sync now' }).click()
    await expect.poll(() => rows.count()).toBe(before + 1)
    await page
      .getByRole('row', { name: /by hand.*Succeeded/ })
      .first()
      .waitFor()
    await page.context().close()
  })

  test('a browser shows its own columns; prices of several products change after a preview', async () => {
    const world = get()
    const { page } = await openPage(world.browser, world.shop, await loginAs(world.shop, 'ADMIN'))
    await page.goto('/console/products?sort=id')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('dialog').getByRole('checkbox', { name: 'Stock' }).uncheck({ force: true })
    await page.getByRole('checkbox', { name: 'Created' }).check({ force: true })
    await page.getByRole('button', { name: 'Close' }).click()
    await page.reload()
    await page.getByRole('columnheader', { name: 'Created' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Stock' }).count()).toBe(0)
    const boxes = page.getByRole('checkbox', { name: /^Select (?!all)/ })
    await boxes.nth(0).check({ force: true })
    await boxes.nth(1).check({ force: true })
    await page.getByRole('button', { name: 'Edit together' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Value' }).fill('90')
    await dialog.getByRole('button', { name: 'Show what would change' }).click()
    await dialog.getByText(/of 2 products would change/).waitFor()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.getByText(/^Changed: [12]$/).waitFor()
    await page.context().close()
  })
}
