import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser, loginAs, PASSWORD } from '../../support/accounts.ts'
import { axeFindings, closePage, describeInBrowser, launchBrowser, openPage } from '../../support/browser.ts'
import { sentMails } from '../../support/mails.ts'
import { setSetting } from '../../support/orders.ts'
import { type StockedShop, startStockedShop } from '../../support/stocked-shop.ts'
import { switchTotpOn } from '../../support/totp.ts'

describeInBrowser('account', () => {
  let shop: StockedShop
  let browser: Browser

  beforeAll(async () => {
    shop = await startStockedShop()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await shop.close()
  })

  test('registering, ordering, a new password by mail, and the order again', async () => {
    const page = await openPage(browser)
    await page.goto(`${shop.url}/account`)
    await page.getByRole('button', { name: 'I have no account yet' }).click()
    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Email').fill('ann@example.com')
    await page.getByLabel('Password').fill('short')
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.locator('[aria-invalid=true]').waitFor()
    await page.getByLabel('Password').fill('long enough')
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ann' }).waitFor()
    await page.getByLabel('Phone').fill('+7 900 111-22-33')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('Saved').waitFor()

    await page.goto(`${shop.url}/products/hammer`)
    await page.getByRole('button', { name: 'Add to cart: Молоток' }).click()
    await page.goto(`${shop.url}/checkout`)
    expect(await page.getByLabel('Phone').inputValue()).toBe('+7 900 111-22-33')
    await page.getByRole('button', { name: 'Place the order' }).click()
    await page.waitForURL('**/order/*')

    await page.goto(`${shop.url}/account`)
    await page.getByText('Order 000001').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Email').fill('ann@example.com')
    await page.getByLabel('Password').fill('wrong password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Email or password is wrong.').waitFor()

    await sentMails(shop)
    await page.getByRole('link', { name: 'Forgotten password' }).click()
    // The page before has a field of that name, too.
    await page.getByRole('heading', { name: 'Forgotten password' }).waitFor()
    await page.getByLabel('Email').fill('ann@example.com')
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByText('the link is on its way').waitFor()
    let link: string | undefined
    await expect
      .poll(async () => {
        link ??= (await sentMails(shop)).flatMap(({ body }) => /\S+\/reset-password\?token=\S+/.exec(body) ?? [])[0]
        return link
      })
      .toBeDefined()
    await page.goto(shop.url + new URL(link ?? '').pathname + new URL(link ?? '').search)
    await page.getByLabel('New password').fill('a better one')
    await page.getByRole('button', { name: 'Save the password' }).click()
    await page.getByText('The password is changed.').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('Email').fill('ann@example.com')
    await page.getByLabel('Password').fill('a better one')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Order 000001').waitFor()

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download my data' }).click()
    const path = await (await download).path()
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ account: { email: 'ann@example.com' } })
    await page.getByText('Delete my account').first().click()
    expect(await axeFindings(page)).toEqual([])
    const form = page.locator('details', { has: page.getByText('This cannot be undone') })
    await form.getByLabel('Current password').fill('a better one')
    await form.getByRole('button', { name: 'Delete my account' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await shop.deps.db.selectFrom('users').where('email', '=', 'ann@example.com').execute()).toEqual([])
    await closePage(page)
  })

  test('a shop that needs consents asks for them', async () => {
    await setSetting(shop, await loginAs(shop, 'ADMIN'), 'consent_required', 'true')
    const page = await openPage(browser)
    await page.goto(`${shop.url}/contact`)
    await page.getByLabel('Name').fill('Eve')
    await page.getByLabel('Phone').fill('+7 900 333-22-11')
    await page.getByLabel('Message').fill('Hello')
    const consent = page.getByRole('checkbox', { name: 'I agree' })
    await consent.waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('input[name=consent][aria-invalid=true]').waitFor()
    await consent.check()
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Thank you').waitFor()

    await page.evaluate(`localStorage.setItem('shop_cart', '[{"productId":${shop.drillId},"quantity":1}]')`)
    await page.goto(`${shop.url}/checkout`)
    await page.getByLabel('Name').fill('Eve')
    await page.getByLabel('Phone').fill('+7 900 333-22-11')
    await page.getByRole('button', { name: 'Place the order' }).click()
    await page.locator('input[name=consent][aria-invalid=true]').waitFor()
    await consent.check()
    await page.getByRole('button', { name: 'Place the order' }).click()
    await page.waitForURL('**/order/*')

    await page.goto(`${shop.url}/account`)
    await page.getByRole('button', { name: 'I have no account yet' }).click()
    await page.getByLabel('Name').fill('Eve')
    await page.getByLabel('Email').fill('eve@example.com')
    await page.getByLabel('Password').fill('long enough')
    await consent.check()
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByRole('heading', { level: 1, name: 'Eve' }).waitFor()
    const consents = await shop.deps.db.selectFrom('consents').select('kind').orderBy('id').execute()
    expect(consents).toEqual([{ kind: 'CONTACT' }, { kind: 'ORDER' }, { kind: 'REGISTRATION' }])
    await setSetting(shop, await loginAs(shop, 'ADMIN'), 'consent_required', 'false')
    await closePage(page)
  })

  test('a customer with two-factor login is asked for a code', async () => {
    const { user, recoveryCodes } = await switchTotpOn(shop, await createUser(shop, 'USER'))
    const page = await openPage(browser)
    await page.goto(`${shop.url}/account`)
    await page.getByLabel('Email').fill(user.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Code').fill(recoveryCodes[0] ?? '')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: user.name }).waitFor()
    await closePage(page)
  })

  test('a message arrives; the language can be changed; a former address leads to the current one', async () => {
    const page = await openPage(browser)
    await page.goto(`${shop.url}/contact`)
    await page.getByLabel('Name').fill('Ben')
    await page.getByLabel('Phone').fill('+7 900 333-22-11')
    await page.getByLabel('Message').fill('Do you deliver?')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Thank you').waitFor()
    expect(
      await shop.deps.db.selectFrom('contact_requests').select('message').where('name', '=', 'Ben').execute(),
    ).toHaveLength(1)

    await page.getByRole('button', { name: 'Русский' }).click()
    await page.getByRole('link', { name: 'Связаться с нами' }).waitFor()

    const body = { slug: 'big-hammer' }
    const { id } = Object((await shop.call('GET', '/products/by-slug/hammer')).body)
    await shop.call('PUT', `/api/v1/products/${id}/slug`, { token: shop.staff, body })
    await page.goto(`${shop.url}/products/hammer`)
    await page.waitForURL('**/products/big-hammer')
    await closePage(page)
  })
})
