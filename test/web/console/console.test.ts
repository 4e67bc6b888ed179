import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { generateCatalogue } from '../../../demo/generate.ts'
import { describeInBrowser, launchBrowser } from '../../support/browser.ts'
import { type FeedServer, startFeedServer } from '../../support/feed-server.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'
import { testEditorsDay } from './day-of-content.ts'
import { testManagersDay } from './day-of-sales.ts'
import { testFeed } from './feed.ts'
import { testPages } from './pages.ts'
import { testPrivacy } from './privacy.ts'
import { testSessions } from './sessions.ts'
import { testTwoFactor } from './two-factor.ts'

export type World = { browser: Browser; feed: FeedServer } & SupplierShop

// One shop and one browser for all: each test works with its own users and orders.
describeInBrowser('the console in a browser', () => {
  const world: { current?: World } = {}
  beforeAll(async () => {
    const feed = await startFeedServer()
    const environment = {
      RATE_LIMIT_ORDERS: '0',
      RATE_LIMIT_LOGIN_ADDRESS: '0',
      STOREFRONT_ENABLED: 'true',
      XML_FEED_URL: feed.url,
    }
    const shop = await startSupplierShop(environment, generateCatalogue({ products: 120 }))
    await shop.sync()
    world.current = { browser: await launchBrowser(), feed, ...shop }
  })
  afterAll(async () => {
    await world.current?.browser.close()
    await world.current?.close()
    await world.current?.feed.close()
  })
  const get = (): World => {
    if (world.current === undefined) throw new Error('The shop has not started')
    return world.current
  }
  testSessions(get)
  testManagersDay(get)
  testEditorsDay(get)
  testTwoFactor(get)
  testPrivacy(get)
  testFeed(get)
  testPages(get)
})
