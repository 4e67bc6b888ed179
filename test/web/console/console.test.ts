import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { generateCatalogue } from '../../../demo/generate.ts'
import { describeInBrowser, launchBrowser } from '../../support/browser.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'
import { testManagersDay } from './day-of-sales.ts'
import { testPages } from './pages.ts'
import { testPrivacy } from './privacy.ts'
import { testSessions } from './sessions.ts'
import { testTwoFactor } from './two-factor.ts'

export type World = { browser: Browser } & SupplierShop

// One shop and one browser for all: each test works with its own users and orders.
describeInBrowser('the console in a browser', () => {
  const world: { current?: World } = {}
  beforeAll(async () => {
    const limits = { RATE_LIMIT_ORDERS: '0', RATE_LIMIT_LOGIN_ADDRESS: '0' }
    const shop = await startSupplierShop(limits, generateCatalogue({ products: 120 }))
    await shop.sync()
    world.current = { browser: await launchBrowser(), ...shop }
  })
  afterAll(async () => {
    await world.current?.browser.close()
    await world.current?.close()
  })
  const get = (): World => {
    if (world.current === undefined) throw new Error('The shop has not started')
    return world.current
  }
  testSessions(get)
  testManagersDay(get)
  testTwoFactor(get)
  testPrivacy(get)
  testPages(get)
})
