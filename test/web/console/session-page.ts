import type { Browser, Page } from 'playwright-core'
import type { TestShop } from '../../support/shop.ts'

/** Generous, for a busy machine. */
const PATIENCE_MS = 90_000

export type Look = { width?: number; theme?: 'light' | 'dark'; language?: 'en' | 'ru' }

/** A page of its own session. What its console reports as an error is in `faults`. */
export async function openPage(
  browser: Browser,
  shop: TestShop,
  token: string | null,
  { width = 1280, theme = 'light', language = 'en' }: Look = {},
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ baseURL: shop.url, viewport: { width, height: 800 } })
  context.setDefaultTimeout(PATIENCE_MS)
  // Once: what the page stores later has to stay.
  await context.addInitScript(
    `if (localStorage.getItem('shop_language') === null) {
      localStorage.setItem('shop_language', ${JSON.stringify(language)})
      localStorage.setItem('shop_theme', ${JSON.stringify(theme)})
      ${token === null ? '' : `localStorage.setItem('shop_token', ${JSON.stringify(token)})`}
    }`,
  )
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  return { page, faults }
}
