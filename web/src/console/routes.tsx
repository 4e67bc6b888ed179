import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import { parseSearch, readFilters, stringifySearch } from '../ui/filters.tsx'
import { FailureNote } from '../ui/list.tsx'
import { Layout } from './layout.tsx'
import { t } from './text.ts'

const root = createRootRoute({
  component: Layout,
  validateSearch: readFilters,
  notFoundComponent: () => (
    <>
      <h1>{t.noPage}</h1>
      <p>{t.noPageExplained}</p>
      <Link to="/">{t.toDesk}</Link>
    </>
  ),
})

const page = <const Path extends string, Module, Name extends keyof Module & string>(
  path: Path,
  load: () => Promise<Module & Record<Name, RouteComponent>>,
  name: Name,
) => createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, name) })

/** Each page is loaded when it is first shown. */
const routeTree = root.addChildren([
  page('/', () => import('./desk/desk.tsx'), 'Desk'),
  page('/orders', () => import('./orders/list.tsx'), 'OrderList'),
  page('/orders/new', () => import('./orders/new.tsx'), 'NewOrder'),
  page('/orders/$id', () => import('./orders/order.tsx'), 'OrderPage'),
  page('/contacts', () => import('./contacts/list.tsx'), 'ContactList'),
  page('/contacts/$id', () => import('./contacts/contact.tsx'), 'ContactPage'),
  page('/products', () => import('./products/list.tsx'), 'ProductList'),
  page('/products/$id', () => import('./products/product.tsx'), 'ProductPage'),
  page('/categories', () => import('./categories/categories.tsx'), 'Categories'),
  page('/brands', () => import('./brands/brands.tsx'), 'Brands'),
  page('/tags', () => import('./tags/tags.tsx'), 'Tags'),
  page('/attributes', () => import('./attributes/attributes.tsx'), 'Attributes'),
  page('/banners', () => import('./banners/banners.tsx'), 'Banners'),
  page('/features', () => import('./features/features.tsx'), 'Features'),
  page('/reviews', () => import('./reviews/reviews.tsx'), 'Reviews'),
  page('/images', () => import('./images/images.tsx'), 'Images'),
  page('/dashboard', () => import('./dashboard/dashboard.tsx'), 'Dashboard'),
  page('/sync', () => import('./sync/sync.tsx'), 'Sync'),
  page('/scraping', () => import('./scraping/scraping.tsx'), 'Scraping'),
  page('/pipeline', () => import('./pipeline/pipeline.tsx'), 'Pipeline'),
  page('/jobs', () => import('./jobs/jobs.tsx'), 'Jobs'),
  page('/alerts', () => import('./alerts/alerts.tsx'), 'Alerts'),
  page('/mails', () => import('./mails/mails.tsx'), 'Mails'),
  page('/webhooks', () => import('./webhooks/webhooks.tsx'), 'Webhooks'),
  page('/users', () => import('./users/users.tsx'), 'Users'),
  page('/api-keys', () => import('./api-keys/api-keys.tsx'), 'ApiKeys'),
  page('/settings', () => import('./settings/settings.tsx'), 'Settings'),
  page('/licence', () => import('./licence/licence.tsx'), 'Licence'),
  page('/privacy', () => import('./privacy/privacy.tsx'), 'Privacy'),
  page('/account', () => import('./account/account.tsx'), 'Account'),
  page('/audit', () => import('./audit/audit.tsx'), 'Audit'),
])

export const router = createRouter({
  routeTree,
  basepath: '/console',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <FailureNote error={error} onRepeat={reset} />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
