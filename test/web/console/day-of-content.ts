import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createUser, loginAs, PASSWORD } from '../../support/accounts.ts'
import type { World } from './console.test.ts'
import { openPage } from './session-page.ts'

const FOCUSED = 'document.activeElement.ariaLabel'

/** What an editor does, and what customers see of it. */
export function testEditorsDay(get: () => World): void {
  test('an editor shows a banner with a picture, moves a category and publishes a review', async () => {
    const { browser, shop } = get()
    const { email } = await createUser(shop, 'EDITOR')
    const { page, faults } = await openPage(browser, shop, null)
    await page.goto('/console/banners')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('button', { name: 'New banner' }).click()
    await page.getByLabel('Title', { exact: true }).fill('Autumn sale')
    await page.getByRole('button', { name: 'Choose a picture' }).click()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    const buffer = await sharp({ create: { width: 640, height: 320, channels: 3, background: '#c40' } })
      .png()
      .toBuffer()
    await (await chooser).setFiles({ name: 'sale.png', mimeType: 'image/png', buffer })
    await page.getByRole('img', { name: 'Image' }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'Autumn sale', exact: true }).waitFor()

    const topOfTree = async () => {
      const { body } = await shop.call('GET', '/api/v1/categories/tree')
      return Object(body).map(({ name }: { name: string }) => name)
    }
    const [first, second, ...rest] = await topOfTree()
    await page.getByRole('link', { name: 'Categories' }).click()
    await page.getByRole('treegrid', { name: 'Categories' }).focus()
    // The second row, its children, its handle.
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key)
    await expect.poll(() => page.evaluate<string>(FOCUSED)).toBe(`Move: ${second}`)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Insert between ${second}` }).waitFor()
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await expect.poll(topOfTree).toEqual([second, first, ...rest])

    await page.getByRole('link', { name: 'Reviews' }).click()
    await page.getByRole('button', { name: 'New review' }).click()
    await page.getByLabel('Author').fill('Vera')
    await page.getByLabel('Text').fill('Came the next day')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'Came the next day' }).waitFor()

    await page.goto('/')
    await page.getByRole('heading', { name: 'Autumn sale' }).waitFor()
    await expect.poll(() => page.evaluate<number>(`document.querySelector('main img').naturalWidth`)).toBeGreaterThan(0)
    await page.getByText('Came the next day').waitFor()
    await page.goto('/categories')
    await page.getByRole('heading', { level: 2, name: second }).waitFor()
    expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toBe(second)
    expect(faults).toEqual([])
    await page.context().close()
  })

  test("a product's name and its title for search engines are changed", async () => {
    const { browser, shop } = get()
    const { page } = await openPage(browser, shop, await loginAs(shop, 'ADMIN'))
    await page.goto('/console/products/3')
    await page.getByLabel('Name', { exact: true }).fill('Drill of the year')
    await save(page, 'Name')
    await page.getByText('Changed here').waitFor()
    await page.getByLabel('Title for search engines').fill('Buy the drill of the year')
    await save(page, 'Title for search engines')
    const slug = await page.getByLabel('Address (slug)').inputValue()
    await page.goto(`/products/${slug}`)
    await page.getByRole('heading', { level: 1, name: 'Drill of the year' }).waitFor()
    expect(await page.title()).toMatch(/^Buy the drill of the year/)
    await page.context().close()
  })

  test("the supplier's values stand beside what was changed here, and are taken back", async () => {
    const { browser, shop, catalogue, sync } = get()
    const products = shop.deps.db.selectFrom('products').select(['name', 'external_id']).where('id', '=', 4)
    const { name, external_id } = await products.executeTakeFirstOrThrow()
    const { page, faults } = await openPage(browser, shop, await loginAs(shop, 'ADMIN'))
    const field = (label: string) => page.getByLabel(label, { exact: true })
    const held = Promise.withResolvers<void>()
    await page.route('**/api/v1/categories', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto('/console/products/4')
    await field('Name').fill('Own name')
    await field('Description').fill('Own words')
    const category = await field('Category').inputValue()
    expect(category).not.toBe('')
    held.resolve()
    await expect.poll(() => field('Category').locator('option').count()).toBeGreaterThan(3)
    // What was typed, and the category, are still there when the categories have come.
    expect(await field('Name').inputValue()).toBe('Own name')
    expect(await field('Category').inputValue()).toBe(category)
    await field('Category').selectOption('')
    await save(page, 'Name')
    const changed = page.getByRole('listitem').filter({ hasText: 'Changed here' })
    await changed.filter({ hasText: `Supplier: ${name}` }).waitFor()
    expect(await changed.count()).toBe(3)

    const words = `${'Long words of the supplier. '.repeat(9)}The end.`
    catalogue.upsertProduct({ id: external_id ?? '', description: words })
    await sync()
    await page.reload()
    const beginning = page.getByText('Supplier: Long words').first()
    await beginning.waitFor()
    const rest = page.getByText('The end.')
    expect(await rest.isVisible()).toBe(false)
    await beginning.click()
    await rest.waitFor()
    for (const label of ['Name', 'Category', 'Description']) {
      const button = page.getByRole('button', { name: `Use the supplier's: ${label}` })
      await button.click()
      await button.waitFor({ state: 'detached' })
    }
    await expect.poll(() => field('Name').inputValue()).toBe(name)
    expect(await field('Description').inputValue()).toBe(words)
    expect(await field('Category').inputValue()).not.toBe('')
    expect(faults).toEqual([])
    await page.context().close()
  })
}

async function save(page: Page, label: string): Promise<void> {
  const form = page.locator('form', { has: page.getByLabel(label, { exact: true }) })
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved', { exact: true }).last().waitFor()
}
