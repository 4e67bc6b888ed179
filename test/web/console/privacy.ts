import { expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { axeFindings } from '../../support/browser.ts'
import type { World } from './console.test.ts'
import { openPage } from './session-page.ts'

/** What the shop has of a person. */
export function testPrivacy(get: () => World): void {
  test('a person is erased after a look at what that would be', async () => {
    const { browser, shop } = get()
    const body = { name: 'Gone', phone: '+7 900 555-44-33', email: 'gone@example.test', message: 'Forget me' }
    await shop.call('POST', '/api/v1/contacts', { body })
    const contacts = () => shop.deps.db.selectFrom('contact_requests').where('name', '=', 'Gone').select('id').execute()
    const { page } = await openPage(browser, shop, await loginAs(shop, 'ADMIN'))
    await page.goto('/console/privacy')
    await page.getByLabel('Email').fill('no email')
    await page.getByRole('button', { name: 'Show what would be erased' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Email').fill(body.email)
    await page.getByRole('button', { name: 'Show what would be erased' }).click()
    await page.getByRole('heading', { name: 'Would be erased' }).waitFor()
    expect(await contacts()).toHaveLength(1)
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Erase' }).click()
    await page.getByRole('heading', { name: 'Erased', exact: true }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    expect(await contacts()).toHaveLength(0)
    await page.context().close()
  })
}
