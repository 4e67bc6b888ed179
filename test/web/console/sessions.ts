import { expect, test } from 'vitest'
import type { Role } from '../../../src/rules/accounts/roles.ts'
import { createUser, loginAs, PASSWORD } from '../../support/accounts.ts'
import type { World } from './console.test.ts'
import { openPage } from './session-page.ts'

const CONTENT = ['Banners', 'Features', 'Reviews', 'Media library']
const SALES = ['Orders', 'Contact requests']
const RUNNING = ['Dashboard', 'Supplier sync', 'Image scraping', 'XML pipeline', 'Jobs', 'Alerts', 'Mails', 'Webhooks']
const ADMINISTRATION = ['Users', 'Settings', 'Licence', 'Erase a person', 'Audit log']
const CATALOGUE = ['Products', 'Categories', 'Brands', 'Tags', 'Attributes']

const MENUS: [Role, string[]][] = [
  ['EDITOR', ['Desk', 'Categories', 'Tags', ...CONTENT]],
  ['MANAGER', ['Desk', ...SALES, 'Categories', 'Tags', ...CONTENT]],
  ['ADMIN', ['Desk', ...SALES, ...CATALOGUE, ...CONTENT, ...RUNNING, ...ADMINISTRATION]],
  [
    'SUPER_ADMIN',
    ['Desk', ...SALES, ...CATALOGUE, ...CONTENT, ...RUNNING, 'Users', 'API keys', ...ADMINISTRATION.slice(1)],
  ],
]

/** Logging in, what each role sees, and the end of a session. */
export function testSessions(get: () => World): void {
  test('each role logs in, sees the own menu, and logs out', async () => {
    const { browser, shop } = get()
    const { page, faults } = await openPage(browser, shop, null)
    await page.goto('/console/')
    for (const [role, menu] of MENUS) {
      const { email } = await createUser(shop, role)
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('navigation', { name: 'Menu' }).waitFor()
      const shown = await page.getByRole('navigation', { name: 'Menu' }).getByRole('link').allTextContents()
      expect([role, shown]).toEqual([role, menu])
      await page.getByRole('button', { name: 'Log out' }).click()
    }
    await page.getByLabel('Email').waitFor()
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('a customer has no access', async () => {
    const { browser, shop } = get()
    const { page } = await openPage(browser, shop, await loginAs(shop, 'USER'))
    await page.goto('/console/orders')
    await page.getByText('This account has no access to the console.').waitFor()
    await page.context().close()
  })

  test('a wrong password is said, in the language of the page', async () => {
    const { browser, shop } = get()
    const { page } = await openPage(browser, shop, null, { language: 'ru' })
    await page.goto('/console/')
    await page.getByLabel('Эл. почта').fill('nobody@example.test')
    await page.getByLabel('Пароль').fill('wrong password')
    await page.getByRole('button', { name: 'Войти' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toMatch(/[а-я]/i)
    await page.context().close()
  })

  test('a session that ends asks for the password, and loses no input', async () => {
    const { browser, shop } = get()
    const user = await createUser(shop, 'EDITOR')
    const { page } = await openPage(browser, shop, shop.app.signToken(user))
    await page.goto('/console/tags')
    await page.getByRole('button', { name: 'New tag' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Typed before the end')
    await shop.deps.db.updateTable('users').set({ token_version: 9 }).where('id', '=', user.id).execute()
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('cell', { name: 'Typed before the end', exact: true }).waitFor()
    await page.context().close()
  })
}
