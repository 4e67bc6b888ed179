import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { describe } from 'vitest'

// First the binary itself: Debian's script before it adds what a desktop needs.
const PATHS = ['/usr/lib/chromium/chromium', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const executablePath = PATHS.find((path) => existsSync(path))

/** Generous, for a busy machine. */
const PATIENCE_MS = 90_000

/** A group of tests that need a browser; skipped where there is none. */
export const describeInBrowser = describe.skipIf(executablePath === undefined)

type Window = Pick<BrowserContextOptions, 'locale' | 'colorScheme' | 'viewport'>

/** Without a sandbox, since tests run as root in containers. They open pages of our own alone. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args: ['--no-sandbox'] })
}

/** Opens an empty page in a window of its own, without stored data. */
export async function openPage(browser: Browser, window: Window = {}): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 }, ...window })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  return page
}

export async function closePage(page: Page): Promise<void> {
  await page.context().close()
}

/** Shows another page of the application without loading it anew, as its links do. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`document.querySelector('h1')?.setAttribute('data-left', '')`)
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`)
  await page.locator('h1:not([data-left])').waitFor()
}

/**
 * What axe-core finds wrong with the page as it is now, as `rule: selector`. What React Aria has just told screen readers stays for
 * seconds, with names of buttons that are gone.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  // Not with each page: to read it takes as long as to load the application.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe.source)
  return page.evaluate<string[]>(
    `axe.run({ exclude: '[data-live-announcer]' }, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target)))`,
  )
}

/** By how many pixels the page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}
