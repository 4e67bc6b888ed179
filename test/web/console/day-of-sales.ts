import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { settingValues } from '../../../src/services/settings/settings.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
import { setSetting } from '../../support/orders.ts'
import type { World } from './console.test.ts'
import { openPage } from './session-page.ts'

export async function placeOrder({ shop }: World): Promise<number> {
  const { body } = await shop.call('GET', '/api/v1/products?inStock=true&size=1&sort=stock,desc')
  const [product] = Object(body).content
  const items = [{ productId: product.id, quantity: 1 }]
  const placed = await shop.call('POST', '/api/v1/orders', {
    body: { customerName: 'Anna', customerPhone: '+7 900 123-45-67', items },
  })
  return Object(placed.body).id
}

async function openOrder(world: World, id: number): Promise<Page> {
  const { page } = await openPage(world.browser, world.shop, await loginAs(world.shop, 'MANAGER'))
  await page.goto(`/console/orders/${id}`)
  await page.getByRole('heading', { name: /^№/ }).waitFor()
  return page
}

/** What a manager does with orders. */
export function testManagersDay(get: () => World): void {
  test('an order by phone is placed, corrected and submitted, also after a failure', async () => {
    const world = get()
    const { shop, supplier } = world
    const { page, faults } = await openPage(world.browser, shop, await loginAs(shop, 'MANAGER'))
    const { body } = await shop.call('GET', '/api/v1/products?inStock=true&size=1&sort=stock,desc')
    const [product] = Object(body).content
    await page.goto('/console/orders')
    await page.getByRole('link', { name: 'New order' }).click()
    // The supplier's article.
    await page.getByLabel('Add a product').fill(product.externalId)
    await page.getByRole('option').first().click()

    // Faults stand beside their fields.
    await page.getByRole('button', { name: 'Place order' }).click()
    await page.getByText('Enter a phone number').first().waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Pyotr')
    await page.getByLabel('Phone').fill('+7 900 765-43-21')
    await page.getByRole('button', { name: 'Place order' }).click()
    await page.getByRole('heading', { name: /^№/ }).waitFor()

    const quantity = page.getByLabel(/^Quantity/)
    await quantity.fill('2')
    await quantity.press('Enter')
    await page.getByLabel('Delivery cost').fill('300')
    await page.getByLabel('Delivery cost').press('Enter')
    const total = String(product.finalPrice * 2 + 300)
    const format = new Intl.NumberFormat('en-GB', { minimumFractionDigits: total.includes('.') ? 2 : 0 })
    await page.getByRole('row', { name: `Total ${format.format(Number(total))}` }).waitFor()

    const slip = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'Without prices' }).click()
    await (await slip).getByRole('cell', { name: product.name }).waitFor()
    expect(await (await slip).evaluate<string>('getComputedStyle(document.body).maxWidth')).toBe('680.315px')
    await (await slip).close()
    const priced = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'Packing slip' }).click()
    await (await priced).getByRole('cell', { name: /Доставка|Delivery/ }).waitFor()
    await (await priced).close()

    supplier.faults.set({ path: 'CreateOrder', failNext: 1, status: 400 })
    await submit(page)
    await page.getByText('The last submission failed').waitFor()
    supplier.faults.reset()
    await submit(page)
    await page.getByText('The supplier has accepted the order').waitFor()
    expect(await page.getByLabel('Add a product').count()).toBe(0)
    // The browser itself reports the faults that the test wanted.
    expect(faults.filter((fault) => !fault.includes('status of 400'))).toEqual([])
    await page.context().close()
  })

  test('two managers on one order: the second sees both versions and chooses', async () => {
    const world = get()
    const id = await placeOrder(world)
    const first = await openOrder(world, id)
    const second = await openOrder(world, id)
    await first.getByLabel('Address').fill('Tverskaya 1')
    await second.getByLabel('Address').fill('Arbat 2')
    await first.getByRole('button', { name: 'Save' }).click()
    await first.getByText('Saved', { exact: true }).waitFor()
    await second.getByRole('button', { name: 'Save' }).click()
    const dialog = second.getByRole('dialog', { name: 'Somebody else saved first' })
    await dialog.getByRole('cell', { name: 'Tverskaya 1' }).waitFor()
    await dialog.getByRole('cell', { name: 'Arbat 2' }).waitFor()
    await dialog.getByRole('button', { name: 'Save mine' }).click()
    await second.getByText('Saved', { exact: true }).waitFor()
    const { body } = await world.shop.call('GET', `/api/v1/admin/orders/${id}`, {
      token: await loginAs(world.shop, 'MANAGER'),
    })
    expect(body).toMatchObject({ deliveryAddress: 'Arbat 2' })
    await first.context().close()
    await second.context().close()
  })

  test('ways of delivery are edited; an order by phone takes one, for a customer with an account', async () => {
    const { browser, shop } = get()
    const admin = await loginAs(shop, 'ADMIN')
    const customer = await createUser(shop, 'USER')
    const { page } = await openPage(browser, shop, admin)
    await page.goto('/console/settings?group=ORDERS')
    await page.getByRole('button', { name: 'Add a method' }).click()
    await page.getByRole('button', { name: 'Add a method' }).click()
    const [pickUp, courier] = ['Method 1', 'Method 2'].map((name) => page.getByRole('group', { name }))
    await pickUp?.getByLabel('Name').fill('Pick-up')
    await pickUp?.getByLabel('Code').fill('pickup')
    await pickUp?.getByLabel('Price').fill('0')
    await courier?.getByLabel('Name').fill('Courier')
    await courier?.getByLabel('Code').fill('pickup')
    await courier?.getByLabel('Price').fill('300')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await courier?.getByText('This is given twice').waitFor()
    await courier?.getByLabel('Code').fill('courier')
    await courier?.getByRole('button', { name: 'Move up' }).click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(JSON.parse((await settingValues(shop.deps)).delivery_methods)).toEqual([
      { code: 'courier', name: 'Courier', price: 300, freeFrom: null },
      { code: 'pickup', name: 'Pick-up', price: 0, freeFrom: null },
    ])
    await page.goto('/console/orders/new')
    const { body } = await shop.call('GET', '/api/v1/products?inStock=true&size=1&sort=stock,desc')
    await page.getByLabel('Add a product').fill(Object(body).content[0].externalId)
    await page.getByRole('option').first().click()
    await page.getByLabel('Search').fill(customer.email)
    await page.getByLabel('Account of the customer').selectOption({ label: `${customer.name}, ${customer.email}` })
    await page.getByLabel('Name', { exact: true }).fill('Olga')
    await page.getByLabel('Phone').fill('+7 900 765-43-21')
    await page.getByLabel('Delivery method').selectOption('courier')
    await page.getByRole('button', { name: 'Place order' }).click()
    await page.getByRole('heading', { name: /^№/ }).waitFor()
    const order = shop.deps.db.selectFrom('orders').where('user_id', '=', customer.id).select('delivery_method')
    expect(await order.execute()).toEqual([{ delivery_method: 'courier' }])
    await setSetting(shop, admin, 'delivery_methods', '[]')
    await page.context().close()
  })

  test('changes of other parts of an order need no choice', async () => {
    const world = get()
    const id = await placeOrder(world)
    const page = await openOrder(world, id)
    await page.getByLabel('Notes of staff').fill('Call in the evening')
    await world.shop.call('PATCH', `/api/v1/admin/orders/${id}`, {
      token: await loginAs(world.shop, 'MANAGER'),
      body: { status: 'PROCESSING' },
    })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.context().close()
  })

  test("somebody else's order appears without a reload, also after the connection was lost", async () => {
    const world = get()
    await placeOrder(world)
    const { page } = await openPage(world.browser, world.shop, await loginAs(world.shop, 'MANAGER'))
    await page.goto('/console/orders?search=Anna')
    await page.getByRole('table').waitFor()
    const rows = page.getByRole('link', { name: /^№/ })
    const before = await rows.count()
    await placeOrder(world)
    await expect.poll(() => rows.count()).toBe(before + 1)

    const lost = page.getByText('No live connection')
    await page.context().setOffline(true)
    await lost.waitFor()
    await placeOrder(world)
    expect(await rows.count()).toBe(before + 1)
    await page.context().setOffline(false)
    await expect.poll(() => rows.count()).toBe(before + 2)
    await lost.waitFor({ state: 'hidden' })
    await page.context().close()
  })

  test('filters survive a reload and the way back; several orders change together', async () => {
    const world = get()
    const id = await placeOrder(world)
    const { page } = await openPage(world.browser, world.shop, await loginAs(world.shop, 'MANAGER'))
    await page.goto('/console/orders')
    await page.getByRole('button', { name: /^New \d/ }).click()
    await page.reload()
    expect(new URL(page.url()).search).toBe('?status=NEW')
    await page.getByRole('link', { name: new RegExp(`${id}$`) }).click()
    await page.getByRole('heading', { name: /^№/ }).waitFor()
    await page.goBack()
    await page.getByLabel(new RegExp(`^Select .*${id}$`)).check({ force: true })
    await page.getByRole('combobox', { name: 'Status' }).selectOption('CANCELLED')
    await page.getByRole('button', { name: 'Set status' }).click()
    await page.getByText('Changed: 1').waitFor()
    await page.context().close()
  })
}

async function submit(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Submit to supplier' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Submit to supplier' }).click()
}
