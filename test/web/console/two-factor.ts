import { expect, test } from 'vitest'
import { updateSettings } from '../../../src/services/settings/settings.ts'
import { createUser, PASSWORD } from '../../support/accounts.ts'
import { axeFindings } from '../../support/browser.ts'
import { codeOf } from '../../support/totp.ts'
import type { World } from './console.test.ts'
import { openPage } from './session-page.ts'

/** A second factor, from the demand for it to its reset. */
export function testTwoFactor(get: () => World): void {
  test('staff who have to set up two-factor login are led there; then a code is asked for; an owner resets it', async () => {
    const { browser, shop } = get()
    const root = await createUser(shop, 'SUPER_ADMIN')
    const manager = await createUser(shop, 'MANAGER')
    const { page } = await openPage(browser, shop, shop.app.signToken(manager))
    await updateSettings(shop.deps, root, { staff_totp_required: 'true' })
    await page.goto('/console/orders')
    await page.getByText('The shop requires two-factor login').waitFor()
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByRole('img', { name: 'Scan this with your authenticator app' }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    const secret = (await page.locator('code').textContent()) ?? ''
    const [recoveryCode = ''] = ((await page.locator('pre').textContent()) ?? '').split('\n')
    await page.getByLabel('Code that the app shows').fill(codeOf(shop, secret))
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByText('On: each login needs a code.').waitFor()
    await page.getByRole('link', { name: 'Orders', exact: true }).click()
    await page.getByRole('heading', { name: 'Orders' }).waitFor()
    await updateSettings(shop.deps, root, { staff_totp_required: 'false' })

    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Email').fill(manager.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByLabel('Code', { exact: true }).fill(recoveryCode)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Orders' }).waitFor()

    await page.getByRole('link', { name: manager.name }).click()
    await page.getByRole('row', { name: /Succeeded.*Linux/ }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Log out everywhere' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Log out everywhere' }).click()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await page.context().close()

    const owner = await openPage(browser, shop, shop.app.signToken(root))
    await owner.page.goto(`/console/users?search=${manager.email}`)
    await owner.page.getByRole('button', { name: 'Reset' }).click()
    await owner.page.getByRole('alertdialog').getByRole('button', { name: 'Reset' }).click()
    await expect.poll(() => owner.page.getByRole('button', { name: 'Reset' }).count()).toBe(0)
    await owner.page.context().close()
  })
}
