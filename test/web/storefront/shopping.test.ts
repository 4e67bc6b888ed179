import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { axeFindings, closePage, describeInBrowser, launchBrowser, openPage } from '../../support/browser.ts'
import { placeOrder, setSetting } from '../../support/orders.ts'
import { type StockedShop, startStockedShop } from '../../support/stocked-shop.ts'

describeInBrowser('shopping', () => {
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

  const orders = () => shop.deps.db.selectFrom('orders').select(['id', 'status', 'customer_name']).execute()

  async function fillCart(page: Page, productId: number, quantity: number): Promise<void> {
    await page.goto(`${shop.url}/contact`)
    await page.evaluate(`localStorage.setItem('shop_cart', '[{"productId":${productId},"quantity":${quantity}}]')`)
    await page.goto(`${shop.url}/checkout`)
  }

  test('from a misspelt search to a cancelled order, with the keyboard', async () => {
    const page = await openPage(browser, { locale: 'ru-RU' })
    await page.goto(shop.url)
    const search = page.getByRole('combobox', { name: 'Что вы ищете?' })
    await search.focus()
    await page.keyboard.type('ударная')
    await page.getByRole('option', { name: 'Дрель ударная Acme 900' }).waitFor()
    while ((await page.getByRole('option', { selected: true, name: 'Acme 900' }).count()) === 0)
      await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/products/drill-900')

    await search.fill('удорная дрел')
    await search.press('Enter')
    await page.getByText('Показано вместо этого').waitFor()
    await page.getByRole('link', { name: 'Дрель ударная Acme 900' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Дрель ударная' }).waitFor()
    await page.getByRole('button', { name: 'В корзину: Дрель ударная' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'В корзине: Дрель ударная' }).press('Enter')
    await page.getByRole('button', { name: 'На один больше' }).press('Enter')
    await page.getByText('9 981 ₽').first().waitFor()
    await page.getByRole('link', { name: 'Оформить заказ' }).press('Enter')

    const submit = page.getByRole('button', { name: 'Заказать' })
    await submit.press('Enter')
    await expect.poll(() => page.locator('[aria-invalid=true]').count()).toBe(2)
    await page.getByLabel('Имя').fill('Анна')
    await page.getByLabel('Телефон').fill('+7 900 123-45-67')
    await submit.press('Enter')
    await page.waitForURL('**/order/*')
    await page.getByText('Принят').waitFor()
    expect(await orders()).toMatchObject([{ status: 'NEW', customer_name: 'Анна' }])
    expect(await page.evaluate(`localStorage.getItem('shop_cart')`)).toBe('[]')

    await page.getByRole('button', { name: 'Отменить заказ' }).press('Enter')
    await page.getByRole('button', { name: 'Да, отменить' }).press('Enter')
    await page.getByText('Отменён').waitFor()
    expect(await orders()).toMatchObject([{ status: 'CANCELLED' }])
    await closePage(page)
  })

  test('what is no longer there is said beside its line', async () => {
    const page = await openPage(browser)
    await fillCart(page, shop.drillId, 3)
    await page.getByLabel('Name').fill('Ben')
    await page.getByLabel('Phone').fill('+7 900 765-43-21')
    await page.getByText('× 3').waitFor()
    await placeOrder(shop, [{ productId: shop.drillId, quantity: 1 }])
    await page.getByRole('button', { name: 'Place the order' }).click()
    await page.getByText('Left in stock: 2').waitFor()
    await page.getByRole('button', { name: 'Take 2' }).click()
    await page.getByText('× 2').waitFor()
    await page.getByRole('button', { name: 'Place the order' }).click()
    await page.waitForURL('**/order/*')
    await closePage(page)
  })

  test('an order whose answer was lost is placed once, whether the page is reloaded or asks again', async () => {
    const page = await openPage(browser)
    const { id } = Object((await shop.call('GET', '/products/by-slug/hammer')).body)
    await fillCart(page, id, 1)
    await page.getByLabel('Name').fill('Cleo')
    await page.getByLabel('Phone').fill('+7 900 000-00-00')
    let lost = 0
    await page.route('**/api/v1/orders', async (route) => {
      lost += 1
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Place the order' }).click()
    await page.getByText('may have been placed').waitFor()
    await page.getByRole('button', { name: 'Ask again' }).click()
    await expect.poll(() => lost).toBe(2)
    await page.unrouteAll({ behavior: 'wait' })
    await page.reload()
    await page.waitForURL('**/order/*')
    const placed = (await orders()).filter(({ customer_name }) => customer_name === 'Cleo')
    expect(placed).toHaveLength(1)
    await closePage(page)
  })

  test('a way of delivery is chosen, and its price is in the total', async () => {
    const methods = [
      { code: 'courier', name: 'Courier', price: 300, freeFrom: 90_000 },
      { code: 'pickup', name: 'Pick-up', price: 0, freeFrom: null },
    ]
    const admin = await loginAs(shop, 'ADMIN')
    await setSetting(shop, admin, 'delivery_methods', JSON.stringify(methods))
    const page = await openPage(browser)
    const { id } = Object((await shop.call('GET', '/products/by-slug/hammer')).body)
    await fillCart(page, id, 1)
    await page.getByLabel('Name').fill('Dora')
    await page.getByLabel('Phone').fill('+7 900 111-00-00')
    await page.getByRole('button', { name: 'Place the order' }).click()
    await page.getByRole('alert').first().waitFor()
    await page.getByRole('radio', { name: 'Courier' }).check()
    await page.getByText('₽600').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Place the order' }).click()
    await page.waitForURL('**/order/*')
    await page.getByText('₽600').waitFor()
    await setSetting(shop, admin, 'delivery_methods', '[]')
    await closePage(page)
  })

  test('filters are in the address, and survive a reload and the way back', async () => {
    const page = await openPage(browser)
    await page.goto(`${shop.url}/categories/drills`)
    await page.getByText('30 products').waitFor()
    await page.getByRole('checkbox', { name: 'синий' }).check()
    await page.getByText('15 products').waitFor()
    await page.getByLabel('Sort').selectOption('price,desc')
    await expect
      .poll(() => page.getByRole('listitem').filter({ hasText: '₽' }).first().textContent())
      .toContain('1,029')
    await page.reload()
    await page.getByText('15 products').waitFor()
    expect(await page.getByRole('checkbox', { name: 'синий' }).isChecked()).toBe(true)
    await page.goBack()
    await page.goBack()
    await page.getByText('30 products').waitFor()
    await page.getByRole('checkbox', { name: 'красный' }).check()
    await page.getByText('14 products').waitFor()
    await page.getByRole('checkbox', { name: 'красный' }).uncheck()
    await page.getByText('30 products').waitFor()
    expect(new URL(page.url()).search).toBe('')
    await page.getByLabel('Price from').fill('1028')
    await page.getByLabel('Price from').press('Enter')
    await page.getByText('3 products').waitFor()
    await page.getByRole('button', { name: 'Reset filters' }).click()
    await page.getByText('30 products').waitFor()
    await page.getByRole('link', { name: 'Page 2', exact: true }).click()
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: '₽' }).count()).toBe(6)
    await closePage(page)
  })
})
