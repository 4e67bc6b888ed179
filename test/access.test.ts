import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Access, mayCall, type Permission, permissionsOf, ROLES, type Role } from '../src/rules/accounts/roles.ts'
import { loginAs } from './support/accounts.ts'
import { markSynchronised } from './support/factories.ts'
import { describedApi, startTestShop, type TestShop } from './support/shop.ts'

/**
 * Who may call what (docs/accounts.md), written down a second time: a route whose
 * declaration changes, and a new route without a line here, fail. HEAD goes with GET.
 */
const TABLE: Partial<Record<Access, string>> = {
  public: `
    POST /api/v1/auth/register
    POST /api/v1/auth/login
    POST /api/v1/auth/forgot-password
    POST /api/v1/auth/reset-password
    GET /api/v1/products
    GET /api/v1/products/{}
    GET /api/v1/products/suggest
    GET /api/v1/products/facets
    GET /api/v1/products/{}/attributes
    GET /products/by-slug/{}
    GET /api/v1/products/by-slug/{}
    GET /api/v1/categories
    GET /api/v1/categories/tree
    GET /api/v1/categories/homepage
    GET /categories/by-slug/{}
    GET /api/v1/categories/by-slug/{}
    GET /api/v1/brands
    GET /api/v1/brands/{}
    GET /api/v1/brands/by-slug/{}
    GET /api/v1/reviews/active
    GET /api/v1/banner-blocks/active
    GET /api/v1/feature-items/active
    GET /api/v1/images/{}
    GET /api/v1/config/public
    GET /api/v1/config/{}
    POST /api/v1/config/batch
    GET,HEAD /api/v1/yml-catalog
    GET,HEAD /api/v1/yml-catalog.xml
    GET,HEAD /api/v1/google-merchant.xml
    POST /api/v1/cart/validate
    POST /api/v1/contacts
    POST /api/v1/orders
    GET /api/v1/orders/track/{}
    POST /api/v1/orders/track/{}/cancel
    GET /api/v1/tags/by-slug/{}
    GET /swagger-ui.html
    GET /v3/api-docs
    GET /v3/api-docs.yaml
    GET,HEAD /sitemap.xml
    GET /robots.txt
    GET /.well-known/security.txt
    GET /health/live
    GET /health/ready
    GET /v3/api-docs/events
    GET /swagger-ui
    GET,HEAD /console
    GET,HEAD /console/*
    GET,HEAD /assets/*
    GET,HEAD /
    GET,HEAD /products/{}
    GET,HEAD /categories/{}
    GET,HEAD /brands/{}
    GET,HEAD /tags/{}
    GET /categories
    GET /brands
    GET /search
    GET /cart
    GET /checkout
    GET /account
    GET /contact
    GET /forgot-password
    GET /reset-password
    GET /order/{}
    GET /swagger-ui/**
    OPTIONS /api/*
    OPTIONS *
    GET /ws/events
    GET,POST,DELETE /mcp
    GET,POST,PUT,PATCH,DELETE /ws/*
  `,
  user: `
    GET,PUT,DELETE /api/v1/auth/profile
    GET /api/v1/auth/my-data
    PUT /api/v1/auth/change-password
    POST /api/v1/auth/refresh
    GET /api/v1/auth/logins
    POST /api/v1/auth/logout-everywhere
    POST,DELETE /api/v1/auth/totp
    POST /api/v1/auth/totp/confirm
    GET /api/v1/orders/my
    GET /api/v1/orders/{}
    POST /api/v1/orders/{}/cancel
  `,
  EDITOR: `
    GET,PUT,DELETE /api/v1/categories/{}
    POST /api/v1/categories
    PUT /api/v1/categories/{}/slug
    POST /api/v1/categories/{}/slug/regenerate
    POST /api/v1/categories/{}/move
    POST /api/v1/categories/reorder
    GET /api/v1/categories/actions/hide-unused/preview
    POST /api/v1/categories/actions/hide-unused/apply
    GET,POST /api/v1/tags
    GET,PUT,DELETE /api/v1/tags/{}
    GET,POST /api/v1/reviews
    GET,PUT,DELETE /api/v1/reviews/{}
    GET /api/v1/reviews/export
    POST /api/v1/reviews/import
    GET,POST /api/v1/banner-blocks
    GET,PUT,DELETE /api/v1/banner-blocks/{}
    GET,POST /api/v1/feature-items
    GET,PUT,DELETE /api/v1/feature-items/{}
    GET,POST /api/v1/images
    PUT /api/v1/images/{}/replace
    DELETE /api/v1/images/{}
  `,
  MANAGER: `
    GET,POST /api/v1/admin/orders
    GET,PATCH /api/v1/admin/orders/{}
    GET /api/v1/admin/orders/{}/print
    GET /api/v1/admin/orders/summary
    GET /api/v1/admin/orders/series
    GET /api/v1/admin/orders/export
    POST /api/v1/admin/orders/bulk-status
    GET /api/v1/admin/contacts/export
    POST /api/v1/admin/orders/{}/items
    PATCH /api/v1/admin/orders/{}/items/{}
    PATCH /api/v1/admin/orders/{}/delivery-cost
    POST /api/v1/admin/orders/{}/submit
    GET,DELETE /api/v1/admin/contacts
    GET,DELETE /api/v1/admin/contacts/{}
    PUT /api/v1/admin/contacts/{}/status
    PUT /api/v1/admin/contacts/{}/notes
  `,
  ADMIN: `
    GET /metrics
    GET /api/v1/admin/audit
    GET /api/v1/admin/dashboard
    GET /api/v1/admin/products/export
    DELETE /api/v1/admin/orders/{}/items/{}
    DELETE /api/v1/admin/orders/{}
    GET /api/v1/admin/orders/bulk-delete/preview
    DELETE /api/v1/admin/orders/bulk-delete
    GET,POST /api/v1/admin/users
    POST /api/v1/admin/privacy/erase
    GET,PUT,DELETE /api/v1/admin/users/{}
    GET /api/v1/admin/users/{}/orders
    GET /api/v1/admin/sync/states
    POST /api/v1/admin/sync/run
    POST /api/v1/admin/sync/reset
    GET /api/v1/admin/sync/runs
    GET /api/v1/admin/sync/runs/{}
    GET /admin/sync/states
    POST /admin/sync/run
    POST /admin/sync/reset
    POST,PATCH /api/v1/products
    PUT,PATCH,DELETE /api/v1/products/{}
    PUT /api/v1/products/{}/attributes
    POST,DELETE /api/v1/products/{}/images/{}
    PUT /api/v1/products/{}/slug
    POST /api/v1/products/{}/slug/regenerate
    PUT /api/v1/products/{}/tags
    PUT /api/v1/products/{}/images
    GET /api/v1/admin/mails
    POST /api/v1/admin/mails/{}/retry
    DELETE /api/v1/admin/mails/{}
    GET,POST /api/v1/admin/webhooks
    GET,PUT,DELETE /api/v1/admin/webhooks/{}
    POST /api/v1/admin/webhooks/{}/rotate-secret
    POST /api/v1/admin/webhooks/{}/test
    GET /api/v1/admin/webhooks/{}/deliveries
    POST /api/v1/admin/webhooks/{}/deliveries/{}/retry
    GET /api/v1/admin/login-blocks
    DELETE /api/v1/admin/login-blocks/{}
    GET /api/v1/admin/deleted-products
    POST /api/v1/admin/deleted-products/{}/restore
    GET /api/v1/admin/alerts
    GET /api/v1/admin/jobs
    PATCH /api/v1/admin/jobs/{}
    POST /api/v1/admin/jobs/{}/run
    GET /api/v1/admin/jobs/{}/runs
    GET /api/v1/admin/license/balance
    GET /api/v1/admin/license/prices
    GET /api/v1/admin/license/topups
    GET /api/v1/admin/scrape-queue/stats
    GET /api/v1/admin/scrape-queue
    POST /api/v1/admin/scrape-queue/{}/retry
    POST /api/v1/admin/scrape-queue/enqueue-active-without-images
    POST /api/v1/admin/scrape-queue/retry-failed
    GET /api/v1/admin/scrape-queue/product/{}
    GET /api/v1/admin/scrape-queue/product/{}/image-log
    POST /api/v1/admin/scrape-queue/product/{}/enqueue
    GET /api/v1/admin/scrape-queue/image-log/stats
    GET /api/v1/admin/scrape-queue/image-log
    POST /api/v1/admin/scrape-queue/image-log/{}/retry
    POST /api/v1/admin/scrape-queue/image-log/backfill
    POST /api/v1/admin/scrape-queue/image-log/retry-failed
    POST /api/v1/admin/scrape-queue/manual-import
    GET,POST,PATCH /api/v1/admin/config
    GET,PUT,DELETE /api/v1/admin/config/{}
    POST /api/v1/admin/notifications/email/test
    GET /api/v1/admin/attributes
    PUT /api/v1/admin/attributes/{}
    GET,POST /api/v1/admin/attribute-rules
    PUT,DELETE /api/v1/admin/attribute-rules/{}
    PUT /api/v1/admin/brands/{}
    GET,POST /api/v1/admin/category-filters
    PUT,DELETE /api/v1/admin/category-filters/{}
    POST /api/v1/admin/category-filters/test
    POST /api/v1/admin/xml-feed/sync
    GET /api/v1/admin/xml-feed/categories
    PUT,DELETE /api/v1/admin/xml-feed/category-mappings/{}
    GET /api/v1/admin/xml-pipeline/runs
    GET /api/v1/admin/xml-pipeline/runs/{}
    POST /api/v1/admin/xml-pipeline/runs/{}/retry
    GET /api/v1/admin/xml-pipeline/snapshots
    GET /api/v1/admin/xml-pipeline/snapshots/{}
    GET /api/v1/admin/xml-pipeline/snapshots/{}/diff
    GET,POST /api/v1/admin/xml-pipeline/image-overrides
    PUT,DELETE /api/v1/admin/xml-pipeline/image-overrides/{}
  `,
  SUPER_ADMIN: `
    GET,POST /api/v1/admin/api-keys
    DELETE /api/v1/admin/api-keys/{}
    DELETE /api/v1/admin/users/{}/totp
    POST /api/v1/admin/license/prices
    PUT,DELETE /api/v1/admin/license/prices/{}
    POST /api/v1/admin/license/topups
    PUT,DELETE /api/v1/admin/license/topups/{}
  `,
}

type Route = { method: string; url: string; access: Access | undefined; permission: Permission | undefined }
type Caller = Role | 'nobody' | 'forger'

/** The only public path that rejects an invalid token. */
const PLACE_ORDER = 'POST /api/v1/orders'

let shop: TestShop
let routes: Route[]
const tokens = new Map<Caller, string>([['forger', 'eyJhbGciOiJIUzI1NiJ9.e30.forged']])

beforeAll(async () => {
  const noLimits = ['LOGIN_PAIR', 'LOGIN_ADDRESS', 'LOGIN_EMAIL', 'REGISTER', 'ORDERS']
  shop = await startTestShop(Object.fromEntries(noLimits.map((name) => [`RATE_LIMIT_${name}`, '0'])), {
    publishes: true,
  })
  await markSynchronised(shop.deps.db)
  routes = shop.app.declaredRoutes.flatMap(({ method, url, config }) =>
    [method].flat().map((one) => ({ method: one, url, access: config?.access, permission: config?.permission })),
  )
  for (const role of ROLES) tokens.set(role, await loginAs(shop, role))
})
afterAll(async () => {
  await shop.deps.tasks.stop()
  await shop.close()
})

/** Normalises parameter names, a trailing slash and the files of Swagger UI. */
function lineOf({ method, url }: Route): string {
  const path = url.replace(/^\/swagger-ui\/.*/, '/swagger-ui/**').replace(/:\w+/g, '{}')
  return `${method} ${path.replace(/(?<=.)\/$/, '')}`
}

function readTable(): Map<string, Access> {
  const expected = new Map<string, Access>()
  for (const access of ['public', 'user', ...ROLES] as const) {
    for (const line of TABLE[access]?.trim().split('\n') ?? []) {
      const [methods = '', path = ''] = line.trim().split(' ')
      for (const method of methods.split(',')) expected.set(`${method} ${path}`, access)
    }
  }
  return expected
}

/** A request that passes the access check but changes nothing. */
async function statusFor(route: Route, caller: Caller): Promise<{ status: number; text: string }> {
  const path = route.url === '*' ? '/' : route.url.replace(/:\w+/g, '999999').replace('*', 'swagger-ui.css')
  // One who logs out everywhere needs a new account.
  const isLeaving = route.url.endsWith('/logout-everywhere') && caller !== 'nobody' && caller !== 'forger'
  const token = isLeaving ? await loginAs(shop, caller) : tokens.get(caller)
  // The files of Swagger UI would be compressed for a second.
  const headers = { 'accept-encoding': 'identity' }
  return shop.call(route.method, path, token === undefined ? { headers } : { headers, token })
}

/** How a response contradicts the route's access; null if it doesn't. */
function problem(route: Route, caller: Caller, { status, text }: { status: number; text: string }): string | null {
  const role = caller === 'nobody' || caller === 'forger' ? null : caller
  const refused = caller === 'forger' && lineOf(route) === PLACE_ORDER
  if (route.access !== undefined && mayCall(route.access, role) && !refused) {
    return status === 401 || status === 403 || status >= 500 ? `${status} instead of an answer` : null
  }
  if (role !== null) return status === 403 ? null : `${status} instead of 403`
  if (status !== 401) return `${status} instead of 401`
  return text === '{"error":"Unauthorized"}' || route.method === 'HEAD' ? null : `401 with ${text}`
}

test('lists every route with its declared access', () => {
  const expected = readTable()
  const differing = routes.filter((route) => {
    const line = lineOf(route)
    const access = expected.get(line) ?? expected.get(line.replace(/^HEAD /, 'GET '))
    return access === undefined || access !== route.access
  })
  expect(differing.map((route) => `${lineOf(route)} declares ${route.access}`)).toEqual([])
  expect(routes.length).toBeGreaterThan(40)
})

test('gives each route of staff a permission of exactly the roles that may call it', () => {
  const differing = routes.filter(({ access, permission }) => {
    if (access === undefined || access === 'public' || access === 'user') return permission !== undefined
    return ROLES.some((role) => mayCall(access, role) !== permissionsOf(role).some((one) => one === permission))
  })
  expect(differing.map((route) => `${lineOf(route)} has ${route.permission}`)).toEqual([])
  expect(new Set(routes.flatMap(({ permission }) => permission ?? []))).toEqual(new Set(permissionsOf('SUPER_ADMIN')))
})

test('names the permission of each operation in the API description', async () => {
  const { paths } = JSON.parse(await describedApi(shop.app))
  expect(paths['/api/v1/admin/orders/{id}'].delete['x-permission']).toBe('orders.delete')
  expect(paths['/api/v1/admin/orders'].get['x-permission']).toBe('orders')
  expect(paths['/api/v1/products'].get).not.toHaveProperty('x-permission')
})

/** Those on both sides of the route's border; roles are in order. Of each access one route is called by all. */
function callersOf(route: Route): Caller[] {
  const { access } = route
  const isFirst = routes.find((other) => other.access === access) === route
  if (isFirst || lineOf(route) === PLACE_ORDER) return ['nobody', 'forger', ...ROLES]
  const first = ROLES.findIndex((role) => access !== undefined && mayCall(access, role))
  return ['nobody', ...ROLES.slice(Math.max(0, first - 1), first + 1)]
}

test('admits exactly the callers that each route allows', async () => {
  const wrong: string[] = []
  for (const route of routes) {
    const callers = callersOf(route)
    const answers = await Promise.all(callers.map((caller) => statusFor(route, caller)))
    for (const [index, answer] of answers.entries()) {
      const caller = callers[index] ?? 'nobody'
      const found = problem(route, caller, answer)
      if (found !== null) wrong.push(`${lineOf(route)} as ${caller}: ${found}`)
    }
  }
  expect(wrong).toEqual([])
})
