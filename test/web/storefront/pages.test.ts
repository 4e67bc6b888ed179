import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  axeFindings,
  closePage,
  describeInBrowser,
  follow,
  launchBrowser,
  openPage,
  overflow,
} from '../../support/browser.ts'
import { placeTracked } from '../../support/orders.ts'
import { type StockedShop, startStockedShop } from '../../support/stocked-shop.ts'

const MAX_BYTES = 120 * 1024
const CART = '[{"productId":1,"quantity":2},{"productId":2,"quantity":1},{"productId":999,"quantity":1}]'

describeInBrowser('pages of the storefront', () => {
  let shop: StockedShop
  let browser: Browser
  let order: string

  beforeAll(async () => {
    shop = await startStockedShop()
    browser = await launchBrowser()
    const { trackingToken } = await placeTracked(shop, [{ productId: shop.drillId, quantity: 1 }])
    order = `/order/${trackingToken}`
  })
  afterAll(async () => {
    await browser.close()
    await shop.close()
  })

  const paths = () => [
    ...['/', '/categories', '/categories/tools', '/categories/drills?page=2&brandId=1', '/tags/garden', '/brands'],
    ...[
      '/brands/some-brand-1',
      '/search?search=дрель',
      '/products/drill-900',
      '/products/hammer',
      '/cart',
      '/checkout',
    ],
    ...['/account', '/forgot-password', '/reset-password?token=x', '/contact', '/products/none', order],
  ]

  test.each([
    { colorScheme: 'light', locale: 'ru-RU', viewport: { width: 1280, height: 900 } },
    { colorScheme: 'dark', locale: 'en-GB', viewport: { width: 360, height: 740 } },
  ] as const)(
    'are accessible, and as wide as their window: $colorScheme, $locale, $viewport.width',
    { timeout: 300_000 },
    async (window) => {
      const page = await openPage(browser, window)
      await page.addInitScript(`localStorage.setItem('shop_cart', '${CART}')`)
      const errors: string[] = []
      page.on('pageerror', ({ message }) => errors.push(message))
      await page.goto(`${shop.url}/contact`)
      await page.locator('h1').waitFor()
      for (const path of paths()) {
        await follow(page, path)
        await page.getByText(/^(Загрузка|Loading)…$/).waitFor({ state: 'hidden' })
        expect([path, await axeFindings(page), await overflow(page)]).toEqual([path, [], 0])
        expect(await page.title()).not.toBe('')
      }
      expect(errors).toEqual([])
      await closePage(page)
    },
  )

  test('a page of 24 products takes at most 120 KB of script and style', async () => {
    const page = await openPage(browser)
    const sizes: Promise<{ responseBodySize: number }>[] = []
    page.on('requestfinished', (request) => {
      if (['script', 'stylesheet'].includes(request.resourceType())) sizes.push(request.sizes())
    })
    await page.goto(`${shop.url}/categories/drills`)
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'Дрель' }).count()).toBe(24)
    const bytes = (await Promise.all(sizes)).reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThan(MAX_BYTES)
    await closePage(page)
  })

  test('a product describes itself to search engines', async () => {
    const page = await openPage(browser)
    await page.goto(`${shop.url}/products/drill-900`)
    await page.locator('h1').waitFor()
    const text = await page.locator('script[type="application/ld+json"]').textContent()
    expect(JSON.parse(text ?? '')[0]).toMatchObject({
      '@type': 'Product',
      name: 'Дрель ударная Acme 900',
      offers: { price: 4990.5, priceCurrency: 'RUB', availability: 'https://schema.org/InStock' },
      aggregateRating: { ratingValue: 4, reviewCount: 1 },
    })
    expect(await page.locator('link[rel=canonical]').getAttribute('href')).toBe(
      `${shop.deps.config.siteUrl}/products/drill-900`,
    )
    await page.getByText('бетон').waitFor()
    await closePage(page)
  })

  test('a changed price is shown without a reload', async () => {
    const page = await openPage(browser)
    const subscribed = new Promise<void>((resolve) => {
      page.on('websocket', (socket) =>
        socket.on('framereceived', ({ payload }) => {
          if (String(payload).includes('subscribed')) resolve()
        }),
      )
    })
    await page.goto(`${shop.url}/products/hammer`)
    await page.getByText('₽300').first().waitFor()
    await subscribed
    const { id } = Object((await shop.call('GET', '/products/by-slug/hammer')).body)
    const change = () => shop.call('PATCH', `/api/v1/products/${id}`, { token: shop.staff, body: { sitePrice: 250 } })
    expect((await change()).status).toBe(200)
    await page.getByText('₽250').first().waitFor()
    await closePage(page)
  })
})
